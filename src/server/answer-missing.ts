/** Addresses that have no answer of their own: redirections to the canonical address, and 404. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../kernel/errors.ts";
import { citationQuery } from "../site/query/index.ts";
import type { SiteFiles } from "./files/site-files.ts";
import { isApiPath } from "./files/site-path.ts";
import { canonicalCity } from "./http/canonical-city.ts";
import { refusedPageHeaders } from "./http/headers.ts";
import { isRead } from "./http/methods.ts";
import type { RequestTarget } from "./http/request-target.ts";

/** Redirects a city's address in another case; returns whether it did. */
export async function sendCanonical(
  files: SiteFiles,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const canonical = isRead(request) ? await canonicalCity(files, target) : undefined;
  if (canonical !== undefined) redirect(response, canonical);
  return canonical !== undefined;
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
  const page = (await files.load("/404.html"))?.identity.body;
  if (!(page instanceof Buffer)) throw new PublicError(404, "not found");
  response.writeHead(404, refusedPageHeaders(page.length));
  response.end(request.method === "HEAD" ? undefined : page);
}

async function isPage(files: SiteFiles, pathname: string): Promise<boolean> {
  return citationQuery(pathname) !== undefined || (await files.load(pathname)) !== undefined;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(308, ["Location", location, "Content-Length", "0"]).end();
}
