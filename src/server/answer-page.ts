/** Pages with arguments, rendered on demand. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { factsOf } from "../activity/request-facts.ts";
import { PublicError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import type { ServedRelease } from "../resources/release-store.ts";
import type { PageProgram } from "../site/page-program.ts";
import { type Answered, type PageInput, pagePath, type QueryPage } from "../site/query/query-page.ts";
import { Site } from "../site/site.ts";
import { isUnchanged } from "./files/conditional.ts";
import { entityTag, tagOf } from "./files/entity-tag.ts";
import { publicErrorOf } from "./http/errors.ts";
import {
  dynamicPageHeaders,
  headersFor,
  passingTextHeaders,
  refusedPageHeaders,
  unchangedPageHeaders,
} from "./http/headers.ts";
import { acceptedEncodings } from "./http/negotiate.ts";
import { admitRead, inOneRelease, type ReadDeps } from "./reads/answer-read.ts";
import { TooSlow } from "./reads/read-pool.ts";

export interface PageRead {
  readonly page: QueryPage;
  readonly input: PageInput;
}

export interface PageDeps extends ReadDeps {
  readonly pages: Pick<PageProgram, "render">;
  readonly log: Log;
}

/**
 * Answers with the page. It also shows invalid arguments and temporary refusals, for readers and for the scripts of the page.
 * Never rejects.
 */
export async function answerPage(
  deps: PageDeps,
  read: PageRead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, body } = await rendered(deps, read, request, response);
    const path = `${read.page.path.slice(1)}index.html`;
    if (status === 200) await sendPage(request, response, body, path);
    else {
      response.writeHead(status, refusedPageHeaders(body.length, path));
      response.end(request.method === "HEAD" ? undefined : body);
    }
  } catch (error) {
    const failure = publicErrorOf(error, deps.log, randomUUID());
    const body = Buffer.from(`${failure.message}\n\nTry again later.\n`);
    response.writeHead(failure.status, passingTextHeaders(body.length));
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

async function rendered(
  deps: PageDeps,
  { page, input }: PageRead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ status: number; body: Buffer }> {
  const refusal = await admitRead(deps, request, response).then(() => undefined, publicOnly);
  return inOneRelease(deps.releases, async (release) => {
    const outcome = refusal ?? (await answered(deps, release, { page, input }).catch(publicOnly));
    noteOutcome(request, outcome);
    const isRefused = outcome instanceof PublicError;
    const locals = isRefused ? page.refused(input, outcome) : outcome.locals;
    const body = await deps.pages.render(pagePath(page, input.path), siteOf(release), locals);
    return { status: isRefused ? outcome.status : 200, body };
  });
}

function publicOnly(error: unknown): PublicError {
  if (error instanceof PublicError) return error;
  throw error;
}

async function answered(
  { pool }: PageDeps,
  { directory, context }: ServedRelease,
  { page, input }: PageRead,
): Promise<Answered<object>> {
  if (!page.isSlow) return page.answered(context, input);
  const task = { operationId: page.operation, snapshot: releasePaths(directory).snapshot, ...input };
  return page.fromText(input, await pool.read(task));
}

/** For the counts of requests. */
function noteOutcome(request: IncomingMessage, outcome: PublicError | Answered<object>): void {
  if (outcome instanceof TooSlow) factsOf(request).timedOut = true;
  if ("foundNothing" in outcome && outcome.foundNothing) factsOf(request).foundNothing = true;
}

const sites = new WeakMap<ServedRelease, Site>();

function siteOf(release: ServedRelease): Site {
  const site = sites.get(release) ?? new Site(release.context, release.site);
  sites.set(release, site);
  return site;
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
  const etag = entityTag(tagOf(body), isZipped ? "gzip" : "identity");
  if (isUnchanged(headers["if-none-match"], etag)) {
    response.writeHead(304, headersFor(request, unchangedPageHeaders({ path, etag }))).end();
    return;
  }
  const sent = isZipped ? await compressed(body) : body;
  const facts = { path, etag, length: sent.length, isZipped };
  response.writeHead(200, headersFor(request, dynamicPageHeaders(facts)));
  response.end(request.method === "HEAD" ? undefined : sent);
}
