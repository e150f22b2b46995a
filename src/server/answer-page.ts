import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { factsOf } from "../activity/request-facts.ts";
import { PublicError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { ReleaseMemory, type ServedRelease } from "../resources/release-store.ts";
import type { PageProgram } from "../site/page-program.ts";
import { type Answered, type PageInput, pagePath, type QueryPage } from "../site/query/query-page.ts";
import { Site } from "../site/site.ts";
import { entityTag, isUnchanged, tagOf } from "./files/conditional.ts";
import { publicErrorOf } from "./http/errors.ts";
import {
  dynamicPageHeaders,
  headersFor,
  passingTextHeaders,
  refusedPageHeaders,
  unchangedPageHeaders,
} from "./http/headers.ts";
import { prefersGzip } from "./http/negotiate.ts";
import { admitRead, inOneRelease, type ReadDeps } from "./reads/answer-read.ts";
import { TooSlow } from "./reads/read-pool.ts";

const compressed = promisify(gzip);

/** A page with arguments, as it was made from a release. */
export class MadePage {
  readonly body: Buffer;
  readonly tag: string;
  /** Whether a search for records found none. */
  readonly foundNothing: boolean;
  #zipped: Promise<Buffer> | undefined;

  constructor(body: Buffer, foundNothing: boolean) {
    this.body = body;
    this.tag = tagOf(body);
    this.foundNothing = foundNothing;
  }

  /** The body as gzip, compressed when it is asked for first. */
  zipped(): Promise<Buffer> {
    this.#zipped ??= compressed(this.body);
    return this.#zipped;
  }
}

/** Pages by their addresses. */
export type MadePages = ReleaseMemory<MadePage>;

const MAX_BYTES = 32 * 1024 * 1024;
/** Beside the body: the compressed one, which is smaller, and the objects of an entry. */
const TIMES_BODY = 2;
const OVERHEAD_BYTES = 500;

export function madePages(maxBytes = MAX_BYTES): MadePages {
  return new ReleaseMemory(
    maxBytes,
    ({ body }, key) => (body.length + key.length) * TIMES_BODY + OVERHEAD_BYTES,
  );
}

/** Pages with arguments, rendered on demand. */

export interface PageRead {
  readonly page: QueryPage;
  readonly input: PageInput;
}

export interface PageDeps extends ReadDeps {
  readonly pages: Pick<PageProgram, "render">;
  readonly made: MadePages;
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
    const page = await rendered(deps, read, request, response);
    const path = `${read.page.path.slice(1)}index.html`;
    if (page instanceof MadePage) await sendPage(request, response, page, path);
    else {
      response.writeHead(page.status, refusedPageHeaders(page.body.length, path));
      response.end(request.method === "HEAD" ? undefined : page.body);
    }
  } catch (error) {
    const failure = publicErrorOf(error, deps.log, randomUUID());
    const body = Buffer.from(`${failure.message}\n\nTry again later.\n`);
    response.writeHead(failure.status, passingTextHeaders(body.length));
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

interface RefusedPage {
  readonly status: number;
  readonly body: Buffer;
}

async function rendered(
  deps: PageDeps,
  read: PageRead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<MadePage | RefusedPage> {
  const { page, input } = read;
  const refusal = await admitRead(deps, request, response).then(() => undefined, publicOnly);
  return inOneRelease(deps.releases, async (release) => {
    const outcome = refusal ?? (await made(deps, release, read).catch(publicOnly));
    noteOutcome(request, outcome);
    if (outcome instanceof MadePage) return outcome;
    const body = await deps.pages.render(
      pagePath(page, input.path),
      siteOf(release),
      page.refused(input, outcome),
    );
    return { status: outcome.status, body };
  });
}

/** The page as it was made before, or else made now. Rejects with PublicError 400, 404, 410 or 503. */
async function made(deps: PageDeps, release: ServedRelease, read: PageRead): Promise<MadePage> {
  const { page, input } = read;
  // A cursor may lead to an earlier release, which is not kept for long.
  const known = "cursor" in input.query ? undefined : deps.made.of(release.context);
  const key = JSON.stringify([page.path, input.path, input.query]);
  const before = known?.get(key);
  if (before !== undefined) return before;
  const { locals, foundNothing } = await answered(deps, release, read);
  const body = await deps.pages.render(pagePath(page, input.path), siteOf(release), locals);
  const now = new MadePage(body, foundNothing);
  return known?.set(key, now) ?? now;
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
function noteOutcome(request: IncomingMessage, outcome: PublicError | MadePage): void {
  if (outcome instanceof TooSlow) factsOf(request).timedOut = true;
  if (outcome instanceof MadePage && outcome.foundNothing) factsOf(request).foundNothing = true;
}

const sites = new WeakMap<ServedRelease, Site>();

function siteOf(release: ServedRelease): Site {
  const site = sites.get(release) ?? new Site(release.context, release.site);
  sites.set(release, site);
  return site;
}

async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: MadePage,
  path: string,
): Promise<void> {
  const { headers } = request;
  const isZipped = prefersGzip(headers["accept-encoding"]);
  const etag = entityTag(page.tag, isZipped ? "gzip" : "identity");
  if (isUnchanged(headers["if-none-match"], etag)) {
    response.writeHead(304, headersFor(request, unchangedPageHeaders({ path, etag }))).end();
    return;
  }
  const sent = isZipped ? await page.zipped() : page.body;
  const facts = { path, etag, length: sent.length, isZipped };
  response.writeHead(200, headersFor(request, dynamicPageHeaders(facts)));
  response.end(request.method === "HEAD" ? undefined : sent);
}
