import type { IncomingMessage, ServerResponse } from "node:http";
import { recordUrl } from "../../resources/links.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import { headersFor } from "./headers.ts";
import type { RequestTarget } from "./request-target.ts";

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
