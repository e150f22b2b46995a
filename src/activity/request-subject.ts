import { accountOperations, isAccountPath } from "../contract/accounts/account-operations.ts";
import { citySlug } from "../contract/cities/city-slug.ts";
import type { Transport } from "../contract/enums.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import { search as searchRead } from "../resources/records/search.ts";
import { matchRoute } from "../routes/routes.ts";
import { queryPageAt } from "../site/query/index.ts";
import { search as searchPage } from "../site/query/search.ts";

/** What a request is about, for the counts of machine activity. Operations come from closed lists, never from the address itself. */
export interface RequestSubject {
  readonly transport: Transport;
  readonly operation: string; // operationId, or one of the names below
  readonly city: string | null; // as it was asked for, in lower case: a slug if the answer was a success
  /** A search for records, and not a further page of one. */
  readonly isSearch: boolean;
  readonly record: string | null; // public id, likewise
}

type Described = Pick<RequestSubject, "operation"> & Partial<RequestSubject>;

const HEALTH_CHECK = "health_check";
const HEALTH_CHECKS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
/** First segment of an address that no operation has, and what lies there. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ["api", "unknown_api_address"],
  ["mcp", "mcp"],
  ["ledger", "ledger_file"],
  ["_astro", "page_part"],
]);
const SEARCHES: ReadonlySet<string> = new Set([searchRead.operationId, searchPage.operation]);
const PROOF = "/ledger/proof/";

const MAX_REMEMBERED = 5000;
const MAX_LENGTH = 300;
const remembered = new BoundedCache<string, RequestSubject>(MAX_REMEMBERED);

/** `url` is the target of a request as it came, whatever that is. Never throws. */
export function requestSubject(method: string, url: string): RequestSubject {
  const key = `${method} ${url}`;
  // A long one holds a cursor or nonsense: the same one seldom comes twice.
  return key.length > MAX_LENGTH
    ? subjectOf(method, url)
    : remembered.take(key, () => subjectOf(method, url));
}

export function isHealthCheck({ operation }: RequestSubject): boolean {
  return operation === HEALTH_CHECK;
}

/**
 * Whether Node alone can answer: what has arguments, is no reading, or is made for one request or its moment. Files are served by any web server.
 */
export function needsNode(method: string, url: string): boolean {
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead || url.includes("?") || url.startsWith(PROOF) || HEALTH_CHECKS.has(url)) return true;
  if (/^\/mcp\/?$/.test(url) || url === "/api/v1/search" || accountOperation(method, url) !== undefined)
    return true;
  return matchRoute(url)?.route.dependsOnTime === true;
}

function subjectOf(method: string, url: string): RequestSubject {
  const mark = url.indexOf("?");
  const pathname = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? "" : url.slice(mark + 1);
  const described = describe(method, pathname, query);
  const isSearch = SEARCHES.has(described.operation) && !/(^|&)cursor=/.test(query);
  return { transport: transportOf(pathname), city: null, record: null, isSearch, ...described };
}

function transportOf(pathname: string): Transport {
  if (/^\/api(\/|$)/.test(pathname)) return "rest";
  return /^\/mcp\/?$/.test(pathname) ? "mcp" : "other";
}

function describe(method: string, pathname: string, query: string): Described {
  if (pathname === "") return { operation: "unreadable_request" };
  const operation = accountOperation(method, pathname);
  if (operation !== undefined) return { operation };
  const match = matchRoute(pathname);
  if (match === undefined) return describeOther(pathname, query);
  const { city, public_id = null } = match.values;
  const slug = city === undefined ? cityAsked(query) : citySlug(city);
  return { operation: match.route.operationId, city: slug, record: public_id };
}

/** Addresses that the registry does not have: pages, files of the ledger, and what does not exist. */
function describeOther(pathname: string, query: string): Described {
  if (HEALTH_CHECKS.has(pathname)) return { operation: HEALTH_CHECK };
  if (pathname.startsWith(PROOF)) return { operation: "getRowProof" };
  const [, first = "", name = ""] = pathname.split("/");
  if (first === "record" && name !== "") return { operation: "record_page", record: decoded(name) };
  if (first === "city" && name !== "") return { operation: "city_page", city: slugIn(decoded(name)) };
  if (first === "cite" && name !== "") return { operation: "citation_page" };
  const found = queryPageAt(pathname);
  if (found !== undefined) return { operation: found.page.operation, city: cityAsked(query) };
  return { operation: PLACES.get(first) ?? (pathname.endsWith("/") ? "page" : "other_file") };
}

function cityAsked(query: string): string | null {
  return slugIn(new URLSearchParams(query).get("city"));
}

function slugIn(text: string | null): string | null {
  return text === null ? null : citySlug(text);
}

const accounts = accountOperations.map(({ method, path, operationId }) => ({
  operationId,
  method,
  address: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

function accountOperation(method: string, pathname: string): string | undefined {
  if (!isAccountPath(pathname)) return undefined;
  return accounts.find((account) => account.method === method && account.address.test(pathname))?.operationId;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
