import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { factsOf } from "../activity/request-facts.ts";
import { PublicError } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { releasePaths } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { filled, refusedRegion, region } from "../views/region.ts";
import type { Asked, View } from "../views/view.ts";
import { isUnchanged } from "./files/conditional.ts";
import { publicErrorOf } from "./http/errors.ts";
import {
  dynamicPageHeaders,
  passingTextHeaders,
  refusedPageHeaders,
  unchangedPageHeaders,
} from "./http/headers.ts";
import { acceptedEncodings } from "./http/negotiate.ts";
import {
  admitRead,
  noteOutcome,
  published,
  type Read,
  type ReadParts,
  readText,
} from "./reads/answer-read.ts";
import { TooSlow } from "./reads/read-pool.ts";

/** A page with arguments: its file, and the part that answers them. */
export interface PageRead {
  readonly page: Buffer;
  readonly view: View;
  readonly asked: Asked;
}

/**
 * Answers with the page's file, in which the view is filled in. What is wrong with the arguments, and a refusal for now, stands in the page
 * as well, because a person reads it; so does a script that looks for the region. Never rejects.
 */
export async function answerView(
  parts: ReadParts & { readonly log: Log },
  { page, view, asked }: PageRead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, text } = await regionOf(parts, view, asked, request, response);
    const body = Buffer.from(filled(page.toString(), view, text));
    const path = `${view.path.slice(1)}index.html`;
    if (status === 200) await sendPage(request, response, body, path);
    else {
      response.writeHead(status, refusedPageHeaders(body.length, path));
      response.end(request.method === "HEAD" ? undefined : body);
    }
  } catch (error) {
    const failure = publicErrorOf(error, parts.log, randomUUID());
    const body = Buffer.from(`${failure.message}\n\nTry again later.\n`);
    response.writeHead(failure.status, passingTextHeaders(body.length));
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

async function regionOf(
  parts: ReadParts,
  view: View,
  asked: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ status: number; text: string }> {
  try {
    await admitRead(parts, request, response);
    const text = await readText(parts, viewRead(view, asked));
    noteOutcome(request, view, text);
    return { status: 200, text };
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    if (error instanceof TooSlow) factsOf(request).timedOut = true;
    const { context } = published(parts.releases);
    return { status: error.status, text: String(refusedRegion(view, context, asked, error)) };
  }
}

function viewRead(view: View, asked: Asked): Pick<Read, "text"> {
  if (!view.isSlow) return { text: ({ context }) => String(region(view, context, asked)) };
  const { operation: operationId } = view;
  return {
    text: ({ directory }, { pool }) =>
      pool.read({ operationId, snapshot: releasePaths(directory).snapshot, ...asked }),
  };
}

const compressed = promisify(gzip);

async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  path: string,
): Promise<void> {
  const { headers } = request;
  const isZipped =
    acceptedEncodings(headers["accept-encoding"]).find((encoding) => encoding !== "br") === "gzip";
  const etag = `"${sha256Hex(body).slice(0, 32)}${isZipped ? "-gzip" : ""}"`;
  if (isUnchanged(headers["if-none-match"], etag)) {
    response.writeHead(304, unchangedPageHeaders({ path, etag })).end();
    return;
  }
  const sent = isZipped ? await compressed(body) : body;
  response.writeHead(200, dynamicPageHeaders({ path, etag, length: sent.length, isZipped }));
  response.end(request.method === "HEAD" ? undefined : sent);
}
