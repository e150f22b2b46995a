import type { IncomingMessage, ServerResponse } from "node:http";
import type { StateSource } from "../accounts/state-source.ts";
import { citySlug } from "../contract/cities/city.ts";
import { CITY_TABLE_FILES, CITY_TABLES_WITHHELD } from "../contract/service/city-tables.ts";
import { PublicError } from "../kernel/errors.ts";
import { recordUrl } from "../resources/links.ts";
import type { ServedRelease } from "../resources/release-store.ts";
import { citationQuery } from "../site/query/index.ts";
import { argumentsIn } from "../site/query/query-page.ts";
import { endpointFor, pathValue } from "../site/routes/matcher.ts";
import { matchPath, PROOF_PATH, type ServiceMatch } from "../site/routes/registry.ts";
import type { PageEndpoint } from "../site/routes/routes.ts";
import { answerPage, type PageDeps, type PageRead } from "./answer-page.ts";
import { isApiPath, type SiteFiles } from "./files/file-cache.ts";
import { keptExport } from "./files/kept-exports.ts";
import { type SiteFile, sendFile } from "./files/send-file.ts";
import { isRead, refuseOtherMethods, sendPassingJson, sendPreflight } from "./http/errors.ts";
import { headersFor, missingPageHeaders } from "./http/headers.ts";
import {
  checkHost,
  discardBody,
  hasBody,
  parseQuery,
  parseTarget,
  type RequestTarget,
} from "./http/request.ts";
import {
  admitDocument,
  answerRead,
  proofRead,
  proofRow,
  published,
  type Read,
  routeRead,
  type TimedReads,
} from "./reads/answer-read.ts";
import type { ReleaseSource } from "./reads/release-source.ts";

/** Addresses that have no answer of their own: redirections to the canonical address, and 404. */

/** Folders without a page of their own: the page of all data leads on. */
const LEADS_TO_DATA = /^\/(exports|api\/v1)\/?$/;

/** Redirects a city's address in another case, and the folders of data; returns whether it did. */
export async function sendCanonical(
  files: SiteFiles,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const canonical = isRead(request) ? await canonicalAddress(files, target) : undefined;
  if (canonical !== undefined) redirect(response, canonical);
  return canonical !== undefined;
}

async function canonicalAddress(files: SiteFiles, target: RequestTarget): Promise<string | undefined> {
  return LEADS_TO_DATA.test(target.pathname) ? "/data/" : canonicalCity(files, target);
}

/** Redirects a page's address without its final slash; otherwise 404, as JSON for API paths. */
export async function answerMissing(
  files: SiteFiles,
  { pathname, query }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isApiPath(pathname) || !isRead(request)) throw new PublicError(404, "not found");
  // The page exists, so its address is a plain path of this site: the redirection cannot lead to another host.
  if (!pathname.endsWith("/") && (await isPage(files, `${pathname}/`))) {
    return redirect(response, query === "" ? `${pathname}/` : `${pathname}/?${query}`);
  }
  if (await isWithheldTable(files, pathname)) throw new PublicError(410, CITY_TABLES_WITHHELD);
  const page = (await files.load("/404.html"))?.identity.body;
  if (!(page instanceof Buffer)) throw new PublicError(404, "not found");
  response.writeHead(404, missingPageHeaders(page.length));
  response.end(request.method === "HEAD" ? undefined : page);
}

/** Each city has an index of its tables, and all of them, unless an erasure took them away. */
async function isWithheldTable(files: SiteFiles, pathname: string): Promise<boolean> {
  const [, folder, name = ""] = /^(\/exports\/city\/[^/]+\/)([^/]+)$/.exec(pathname) ?? [];
  return CITY_TABLE_FILES.includes(name) && (await files.load(`${folder}index.json`)) !== undefined;
}

async function isPage(files: SiteFiles, pathname: string): Promise<boolean> {
  return citationQuery(pathname) !== undefined || (await files.load(pathname)) !== undefined;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(308, ["Location", location, "Content-Length", "0"]).end();
}

export interface Sources {
  readonly files: SiteFiles;
  readonly timed: TimedReads;
}

/** The answer of an address: its file, unless arguments or the time of the request matter, else a read of its endpoint. */
export async function findAnswer(
  { files, timed }: Sources,
  { pathname, query: text }: RequestTarget,
  match: ServiceMatch,
): Promise<SiteFile | Read | PageRead | undefined> {
  const endpoint = endpointFor(match, "GET");
  if (endpoint?.kind === "proof")
    return proofRead(proofRow(pathValue(PROOF_PATH, match, "row")), parseQuery(text));
  if (endpoint?.kind !== "read") {
    const file = await files.load(pathname);
    if (file === undefined) return citationQuery(pathname); // only the newest citation of a record has a file
    return (endpoint?.kind === "page" ? pageRead(endpoint, match, text) : undefined) ?? file;
  }
  const { route } = endpoint;
  const query = route.ignoresUnknownQuery ? {} : parseQuery(text);
  if (route.dependsOnTime) return timed.read(route, match.values, query);
  const file = Object.keys(query).length > 0 ? undefined : await files.load(pathname);
  return file ?? routeRead(route, match.values, query);
}

/** A page with arguments; undefined without any. */
function pageRead({ page }: PageEndpoint, { values }: ServiceMatch, text: string): PageRead | undefined {
  const query = page && argumentsIn(page, text);
  return page && query && { page, input: { path: values, query } };
}

export interface PublicDeps extends PageDeps {
  readonly accounts: { readonly state: Pick<StateSource, "fault"> };
}

/** Answers a request for a probe, a file, a read or a page. Throws PublicError. */
export async function answerPublic(
  deps: PublicDeps,
  sources: Sources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await checkMessage(request, response);
  if (request.method === "OPTIONS" && request.url === "*") return sendPreflight(response);
  const target = parseTarget(request.url ?? "");
  const { pathname } = target;
  const match = matchPath(pathname);
  const { current: release } = deps.releases;
  if (endpointFor(match, "GET")?.kind === "health")
    return sendProbe(pathname === "/healthz" ? "ok" : readiness(deps), request, response);
  assertServed(deps.releases);
  if (sendMerged(release, target, request, response)) return;
  await admitMade(deps, sources, pathname, request);
  if (await sendCanonical(sources.files, target, request, response)) return;
  const answer = await keptOrFound(deps, sources, target, match);
  if (answer === undefined) return answerMissing(sources.files, target, request, response);
  if (request.method === "OPTIONS") return sendPreflight(response);
  refuseOtherMethods(request, response);
  if ("text" in answer) return answerRead(deps, answer, request, response);
  if ("page" in answer) return answerPage(deps, answer, request, response);
  sendFile(request, response, answer);
}

async function keptOrFound(
  { releases }: PublicDeps,
  sources: Sources,
  target: RequestTarget,
  match: ServiceMatch,
): ReturnType<typeof findAnswer> {
  return (await keptExport(releases, target.pathname)) ?? (await findAnswer(sources, target, match));
}

/** A document that has to be made counts as a read. Throws PublicError 429. */
async function admitMade(
  deps: PublicDeps,
  { files }: Sources,
  pathname: string,
  request: IncomingMessage,
): Promise<void> {
  const addresses = [pathname, `${pathname}/`]; // the second one for what only redirects to it
  if (addresses.some((address) => files.mustMake(address))) await admitDocument(deps, request);
}

/** Throws PublicError 503 where not even files are served. */
function assertServed(releases: ReleaseSource): void {
  if (!hasFiles(releases)) published(releases);
}

function hasFiles({ current, filesOnly }: ReleaseSource): boolean {
  return current !== undefined || filesOnly !== undefined;
}

async function checkMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  checkHost(request, response);
  if (!hasBody(request)) return;
  try {
    await discardBody(request);
  } catch (error) {
    response.setHeader("Connection", "close"); // the rest of the body would be read as the next request
    throw error;
  }
}

/** A state that is only out of reach leaves the reads, so the service is ready; files that were lost need somebody. */
function readiness({ releases, accounts }: PublicDeps): string {
  if (!hasFiles(releases)) return "no release";
  return accounts.state.fault() === undefined ? "ok" : "state lost";
}

function sendProbe(status: string, request: IncomingMessage, response: ServerResponse): void {
  refuseOtherMethods(request, response);
  sendPassingJson(request, response, status === "ok" ? 200 : 503, { status });
}

/** Pages, feeds and maps of a city, followed by its slug. Reads below /api match slugs themselves. */
const CITY_PATH = /^\/(?:city|pulse|exports\/(?:cells|city))\/([^/]+)/;

/** A look-up of published files by path. */
interface Files {
  load(pathname: string): Promise<unknown>;
}

/**
 * The lower-case address of a city path in another case; undefined for other addresses and without such a file.
 */
export async function canonicalCity(
  files: Files,
  { pathname, query }: RequestTarget,
): Promise<string | undefined> {
  const canonical = pathname.replace(CITY_PATH, citySlug);
  if (canonical === pathname) return undefined;
  const address = await fileAt(files, canonical);
  return address === undefined || query === "" ? address : `${address}?${query}`;
}

/** The file exists, so its address is a plain path of this site: a redirection to it cannot lead to another host. */
async function fileAt(files: Files, pathname: string): Promise<string | undefined> {
  const choices = pathname.endsWith("/") ? [pathname] : [pathname, `${pathname}/`];
  for (const choice of choices) if ((await files.load(choice)) !== undefined) return choice;
  return undefined;
}

const RECORD_PAGE = /^\/record\/([^/]+)\/?$/;

/**
 * Redirects the page of a merged record to the surviving record; returns whether it did. The published file of that page is for
 * static servers. A later merge may go the other way, so caches keep the answer briefly.
 */
export function sendMerged(
  release: ServedRelease | undefined,
  { pathname }: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const publicId = RECORD_PAGE.exec(pathname)?.[1];
  const into = publicId && release?.context.snapshot.record(publicId)?.mergedInto;
  if (typeof into !== "string" || into === "") return false;
  const headers = ["Location", recordUrl("", into), "Content-Length", "0", "Cache-Control", KEPT];
  response.writeHead(301, headersFor(request, headers)).end();
  return true;
}

const KEPT = "public, max-age=300";
