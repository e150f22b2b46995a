import type { IncomingMessage, ServerResponse } from "node:http";
import { recordUrl } from "../../resources/links.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import type { RequestTarget } from "./request-target.ts";

const RECORD_PAGE = /^\/record\/([^/]+)\/?$/;

/**
 * A page address of a merged record is answered with 301 to the record that stays, before its file is looked at: that page is for
 * servers of plain files. False for everything else. The later merge may be turned round, so the answer is kept for a short time only.
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
  response.writeHead(301, headers).end();
  return true;
}

const KEPT = "public, max-age=300";
