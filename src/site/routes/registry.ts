import { type AccountOperation, accountOperations } from "../../contract/accounts/account-operations.ts";
import { type Endpoint, endpointFor, type Match, Matcher } from "./matcher.ts";
import { type PageEndpoint, pageEndpoints, type Route, routes } from "./routes.ts";

interface Named extends Endpoint {
  readonly operationId: string; // under which requests for it are counted
}

interface ReadEndpoint extends Named {
  readonly kind: "read";
  readonly route: Route;
}

interface AccountEndpoint extends Named {
  readonly kind: "account";
  readonly operation: AccountOperation;
}

/** A form of a page posts to the page's own address. */
interface FormEndpoint extends Named {
  readonly kind: "form";
  readonly path: FormPath;
}

interface PlainEndpoint extends Named {
  readonly kind: "health" | "mcp" | "proof" | "basemap";
}

export type ServiceEndpoint = ReadEndpoint | AccountEndpoint | FormEndpoint | PageEndpoint | PlainEndpoint;
export type ServiceMatch = Match<ServiceEndpoint>;

export const PROOF_PATH = "/ledger/proof/{row}";

/** The operator's own map, outside of every release. */
export const BASEMAP_PATH = "/basemap.pmtiles";

const FORM_PATHS = [
  "/alerts/",
  "/alerts/confirm/",
  "/alerts/manage/",
  "/alerts/unsubscribe/",
  "/alerts/never/",
  "/report/",
  "/report/status/",
  "/opt-out/",
] as const;
export type FormPath = (typeof FORM_PATHS)[number];

/** Every address of the service that is more than a file. */
export const endpoints: readonly ServiceEndpoint[] = [
  { kind: "health", operationId: "health_check", path: "/healthz" },
  { kind: "health", operationId: "health_check", path: "/readyz" },
  { kind: "mcp", operationId: "mcp", path: "/mcp" },
  { kind: "mcp", operationId: "mcp", path: "/mcp/" },
  { kind: "basemap", operationId: "basemap", path: BASEMAP_PATH },
  { kind: "proof", operationId: "getRowProof", path: PROOF_PATH },
  { kind: "proof", operationId: "getRowProof", path: "/ledger/proof/" }, // refused as every address without a row
  ...routes.map(
    (route) => ({ kind: "read", operationId: route.operationId, path: route.path, route }) as const,
  ),
  ...accountOperations.map((operation) => {
    const { operationId, method, path } = operation;
    return { kind: "account", operationId, method, path, operation } as const;
  }),
  ...FORM_PATHS.map((path) => ({ kind: "form", operationId: "page", method: "POST", path }) as const),
  ...pageEndpoints,
];

/**
 * The beginnings of addresses that end with what only its owner knows: ids of reports, removal requests, webhooks. Logs of front
 * servers have no more of them (deploy/nginx).
 */
export const secretAddresses: readonly string[] = [
  ...new Set(
    accountOperations.flatMap(({ path }) => (path.includes("{") ? [path.slice(0, path.indexOf("{"))] : [])),
  ),
];

const matcher = new Matcher(endpoints);

const NOTHING: ServiceMatch = { endpoints: [], values: {} };

/** The endpoints at a path (percent-encoded, without its query), and the values in it; none for files and for unknown addresses. */
export function matchPath(pathname: string): ServiceMatch {
  return matcher.match(pathname) ?? NOTHING;
}

/** The path of a request as it came in, without its query. */
export function pathOf({ url = "" }: { readonly url?: string | undefined }): string {
  return url.split("?", 1)[0] ?? "";
}

/** The kind of endpoint that answers a method; undefined when a file may. Paths of account operations refuse other methods themselves. */
export function requestKind(match: ServiceMatch, method = ""): ServiceEndpoint["kind"] | undefined {
  const refusing = match.endpoints.find(({ kind }) => kind === "account");
  return (endpointFor(match, method) ?? refusing)?.kind;
}
