import { citySlug } from "../contract/cities/city.ts";
import type { Transport } from "../contract/enums.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import { search as searchRead } from "../resources/records/search.ts";
import { endpointFor } from "../site/routes/matcher.ts";
import { matchPath, pathOf, type ServiceEndpoint } from "../site/routes/registry.ts";

/** The subject of a request, for the counts of machine activity. Operations come from closed lists, never from the address itself. */
export interface RequestSubject {
  readonly transport: Transport;
  readonly operation: string; // operationId of an endpoint, or a name for the files of a folder
  readonly city: string | null; // as requested, in lower case: a slug if the answer was a success
  /** The first page of a search for records. */
  readonly isSearch: boolean;
  readonly record: string | null; // public id, as requested
}

const HEALTH_CHECK = "health_check";
/** Addresses without an endpoint, by their first segment. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["api", "unknown_api_address"],
  ["mcp", "mcp"],
  ["ledger", "ledger_file"],
  ["_astro", "page_part"],
]);
const SEARCHES: ReadonlySet<string> = new Set([searchRead.operationId, "search_page"]);
const NODE_ONLY: ReadonlySet<ServiceEndpoint["kind"]> = new Set([
  "health",
  "mcp",
  "proof",
  "basemap",
  "account",
  "form",
]);

const MAX_REMEMBERED = 5000;
const MAX_LENGTH = 300;
const remembered = new BoundedCache<string, RequestSubject>(MAX_REMEMBERED);

/** `url` is the target of a request as it came in, whatever it holds. Never throws. */
export function requestSubject(method: string, url: string): RequestSubject {
  const key = `${method} ${url}`;
  // Long ones hold a cursor or nonsense and seldom repeat.
  return key.length > MAX_LENGTH
    ? subjectOf(method, url)
    : remembered.take(key, () => subjectOf(method, url));
}

export function isHealthCheck({ operation }: RequestSubject): boolean {
  return operation === HEALTH_CHECK;
}

/** Whether only Node can answer: requests with arguments, writes, and answers made for one request. Any web server answers the rest. */
export function needsNode(method: string, url: string): boolean {
  if ((method !== "GET" && method !== "HEAD") || url.includes("?")) return true;
  const endpoint = endpointFor(matchPath(url), method);
  if (endpoint?.kind !== "read") return endpoint !== undefined && NODE_ONLY.has(endpoint.kind);
  return endpoint.route.dependsOnTime === true || endpoint.operationId === searchRead.operationId;
}

function subjectOf(method: string, url: string): RequestSubject {
  const pathname = pathOf({ url });
  const query = url.slice(pathname.length + 1);
  const direct = matchPath(pathname);
  const match = direct.endpoints.length > 0 ? direct : matchPath(`${pathname}/`); // a page is redirected to its slash
  const endpoint = endpointFor(match, method) ?? endpointFor(match, "GET");
  const operation = endpoint?.operationId ?? unknownOperation(pathname);
  const { city, public_id = null } = match.values;
  const takesCity = endpoint?.kind === "read" || endpoint?.kind === "page";
  const asked = city ?? (takesCity ? new URLSearchParams(query).get("city") : null);
  return {
    transport: transportOf(pathname),
    operation,
    city: asked === null ? null : citySlug(asked),
    record: public_id,
    isSearch: SEARCHES.has(operation) && !/(^|&)cursor=/.test(query),
  };
}

function transportOf(pathname: string): Transport {
  if (/^\/api(\/|$)/.test(pathname)) return "rest";
  return /^\/mcp\/?$/.test(pathname) ? "mcp" : "other";
}

function unknownOperation(pathname: string): string {
  if (pathname === "") return "unreadable_request";
  const folder = FOLDERS.get(pathname.split("/", 2)[1] ?? "");
  return folder ?? (pathname.endsWith("/") ? "page" : "other_file");
}
