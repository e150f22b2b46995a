import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Observer } from "../activity/activity.ts";
import { factsOf } from "../activity/request-facts.ts";
import { PublicError } from "../kernel/errors.ts";
import type { Clock } from "../kernel/time.ts";
import { endpointFor, pathValue } from "../routes/matcher.ts";
import type { PageEndpoint } from "../routes/page-routes.ts";
import { matchPath, PROOF_PATH, pathOf, requestKind, type ServiceMatch } from "../routes/registry.ts";
import { citationQuery } from "../site/query/index.ts";
import { argumentsIn } from "../site/query/query-page.ts";
import type { AccountEdge } from "./account-routes.ts";
import { answerAccounts } from "./accounts.ts";
import { answerPage, type PageDeps, type PageRead } from "./answer-page.ts";
import type { SiteFile } from "./files/file-cache.ts";
import { sendFile } from "./files/send-file.ts";
import { SiteFiles } from "./files/site-files.ts";
import { isApiPath } from "./files/site-path.ts";
import { canonicalCity } from "./http/canonical-city.ts";
import { publicErrorOf, sendError, sendPassingJson } from "./http/errors.ts";
import { preflightHeaders, refusedPageHeaders } from "./http/headers.ts";
import { sendMerged } from "./http/merged-record.ts";
import { discardBody, hasBody } from "./http/request-body.ts";
import { checkHost, parseQuery, parseTarget, type RequestTarget } from "./http/request-target.ts";
import type { Admission } from "./limits/admission.ts";
import { answerMcp, type McpRouteDeps } from "./mcp-route.ts";
import { answerRead, published, type Read, routeRead } from "./reads/answer-read.ts";
import { proofRead, proofRow } from "./reads/proof-read.ts";
import { TooSlow } from "./reads/read-pool.ts";
import type { ReleaseSource } from "./reads/release-source.ts";
import { TimedReads } from "./reads/timed-reads.ts";

export interface AppDeps extends PageDeps, AccountEdge {
  readonly admission: Admission;
  readonly observer: Observer;
  readonly clock: Clock; // of reads that depend on the time of the request
  readonly mcp: McpRouteDeps;
}

const ALLOW = "GET, HEAD, OPTIONS";
const CACHE_BYTES = 256 * 1024 * 1024;

export function siteFiles(releases: ReleaseSource): SiteFiles {
  return new SiteFiles(releases, CACHE_BYTES);
}

/** The public surface: files first, then routes from the registry (design 9). */
export function createApp(deps: AppDeps, files = siteFiles(deps.releases)): RequestListener {
  const sources: Sources = { files, timed: new TimedReads(deps.clock) };
  return (request, response) => {
    const startedAt = performance.now();
    if (sendHotFile(files, request, response)) {
      deps.observer.answered(request, response, startedAt);
      return;
    }
    deps.observer.answering(request, response, startedAt);
    answering(deps, sources, request, response).catch((error: unknown) => {
      const failure = publicErrorOf(error, deps.log, randomUUID());
      if (failure instanceof TooSlow) factsOf(request).timedOut = true;
      if (response.headersSent) response.destroy();
      else sendError(request, response, failure);
    });
  };
}

/** Where answers that are no plain reads come from. */
interface Sources {
  readonly files: SiteFiles;
  readonly timed: TimedReads;
}

function answering(
  deps: AppDeps,
  sources: Sources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const match = matchPath(pathOf(request));
  const kind = requestKind(match, request.method);
  if (kind === "mcp") return answerMcp(deps.mcp, request, response);
  if (kind === "account" || kind === "form") return answerAccounts(deps, match, request, response);
  return answer(deps, sources, request, response);
}

/** The shortest way for the most frequent request: a plain GET of a file that is in memory under exactly this URL. */
function sendHotFile(files: SiteFiles, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "GET" || request.url === undefined) return false;
  const file = files.hot(request.url);
  const { headers } = request;
  // Whatever may end in an error takes the long way.
  if (
    file === undefined ||
    hasBody(request) ||
    headers.host === undefined ||
    headers["if-match"] !== undefined
  )
    return false;
  sendFile(request, response, file);
  return true;
}

async function answer(
  deps: AppDeps,
  sources: Sources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await checkMessage(request, response);
  if (request.method === "OPTIONS" && request.url === "*") return sendPreflight(response);
  const target = parseTarget(request.url ?? "");
  const match = matchPath(target.pathname);
  if (endpointFor(match, "GET")?.kind === "health")
    return sendProbe(
      target.pathname === "/healthz" || deps.releases.current !== undefined,
      request,
      response,
    );
  published(deps.releases);
  if (sendMerged(deps.releases.current, target, request, response)) return;
  if (await sendCanonical(sources.files, target, request, response)) return;
  const found = await find(sources, target, match);
  if (found === undefined) return answerMissing(sources.files, target, request, response);
  if (request.method === "OPTIONS") return sendPreflight(response);
  refuseOtherMethods(request, response);
  if ("text" in found) return answerRead(deps, found, request, response);
  if ("page" in found) return answerPage(deps, found, request, response);
  sendFile(request, response, found);
}

/** Finds the answer to an address: its file, unless arguments or the time of the request matter, else an endpoint of the registry. */
async function find(
  { files, timed }: Sources,
  { pathname, query: text }: RequestTarget,
  match: ServiceMatch,
): Promise<SiteFile | Read | PageRead | undefined> {
  const endpoint = endpointFor(match, "GET");
  if (endpoint?.kind === "proof")
    return proofRead(proofRow(pathValue(PROOF_PATH, match, "row")), parseQuery(text));
  if (endpoint?.kind !== "read") {
    const file = await files.load(pathname);
    if (file === undefined) return citationQuery(pathname); // not the newest of its record, so it has no file
    return (endpoint?.kind === "page" ? askedPage(endpoint, match, text) : undefined) ?? file;
  }
  const { route } = endpoint;
  const query = route.ignoresUnknownQuery ? {} : parseQuery(text);
  if (route.dependsOnTime) return timed.read(route, match.values, query);
  const file = Object.keys(query).length > 0 ? undefined : await files.load(pathname);
  return file ?? routeRead(route, match.values, query);
}

/** The arguments of a page; undefined when it is asked nothing. */
function askedPage({ page }: PageEndpoint, { values }: ServiceMatch, query: string): PageRead | undefined {
  const given = page && argumentsIn(page, query);
  return page && given && { page, asked: { path: values, query: given } };
}

async function checkMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  checkHost(request);
  if (!hasBody(request)) return;
  try {
    await discardBody(request);
  } catch (error) {
    response.setHeader("Connection", "close"); // what is left of the body cannot be told from the next request
    throw error;
  }
}

async function sendCanonical(
  files: SiteFiles,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const canonical = isRead(request) ? await canonicalCity(files, target) : undefined;
  if (canonical !== undefined) redirect(response, canonical);
  return canonical !== undefined;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function refuseOtherMethods(request: IncomingMessage, response: ServerResponse): void {
  if (isRead(request)) return;
  response.setHeader("Allow", ALLOW);
  throw new PublicError(405, `method not allowed here; allowed: ${ALLOW}`);
}

function sendPreflight(response: ServerResponse): void {
  response.writeHead(204, preflightHeaders(ALLOW)).end();
}

/** JSON for programs, the slash at the end that a page's address lacks, or the page that says so. */
async function answerMissing(
  files: SiteFiles,
  { pathname, query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isApiPath(pathname) || !isRead(request)) throw new PublicError(404, "not found");
  // The page exists, so its address is a plain path of ours: the redirection cannot lead to another host.
  if (!pathname.endsWith("/") && (await isPage(files, `${pathname}/`))) {
    return redirect(response, query === "" ? `${pathname}/` : `${pathname}/?${query}`);
  }
  const page = (await files.load("/404.html"))?.identity.body;
  if (page === undefined) throw new PublicError(404, "not found");
  response.writeHead(404, refusedPageHeaders(page.length));
  response.end(request.method === "HEAD" ? undefined : page);
}

async function isPage(files: SiteFiles, pathname: string): Promise<boolean> {
  return citationQuery(pathname) !== undefined || (await files.load(pathname)) !== undefined;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(308, ["Location", location, "Content-Length", "0"]).end();
}

function sendProbe(isHealthy: boolean, request: IncomingMessage, response: ServerResponse): void {
  refuseOtherMethods(request, response);
  sendPassingJson(request, response, isHealthy ? 200 : 503, { status: isHealthy ? "ok" : "no release" });
}
