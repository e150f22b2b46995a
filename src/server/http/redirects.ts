import type { IncomingMessage, ServerResponse } from "node:http";
import { citySlug } from "../../contract/cities/city.ts";
import { recordUrl } from "../../resources/links.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import { headersFor } from "./headers.ts";
import type { RequestTarget } from "./request-target.ts";

/** Pages, feeds and maps of a city, followed by its slug. Reads below /api match slugs themselves. */
const CITY_PATH = /^\/(?:city|pulse|exports\/cells)\/([^/]+)/;

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
