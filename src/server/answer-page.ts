import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { factsOf } from "../activity/activity.ts";
import { PublicError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { ReleaseMemory, type ServedRelease } from "../resources/release-store.ts";
import type { PageProgram } from "../site/page-program.ts";
import { type Answered, type PageInput, pagePath, type QueryPage } from "../site/query/query-page.ts";
import { Site } from "../site/site.ts";
import { type Representation, sendWhole } from "./files/send-file.ts";
import { publicErrorOf } from "./http/errors.ts";
import {
  PAGE_TYPE,
  pageValidators,
  passingTextHeaders,
  refusedPageHeaders,
  wholeHeaders,
} from "./http/headers.ts";
import { type Encoding, entityTag, prefersGzip, tagOf } from "./http/negotiate.ts";
import { admitRead, inOneRelease, type ReadDeps } from "./reads/answer-read.ts";
import { TooSlow } from "./reads/read-pool.ts";

const compressed = promisify(gzip);

/** A page with arguments, as it was made from a release. */
class MadePage {
  readonly identity: Representation;
  /** Whether a search for records found none. */
  readonly foundNothing: boolean;
  readonly #path: string; // of the page's file
  readonly #tag: string;
  readonly #body: Buffer;
  #zipped: Promise<Representation> | undefined;

  constructor(path: string, body: Buffer, foundNothing: boolean) {
    this.#path = path;
    this.#body = body;
    this.#tag = tagOf(body);
    this.identity = this.#as("identity", body);
    this.foundNothing = foundNothing;
  }

  /** Compressed when it is asked for first. */
  zipped(): Promise<Representation> {
    this.#zipped ??= compressed(this.#body).then((body) => this.#as("gzip", body));
    return this.#zipped;
  }

  #as(encoding: Encoding, body: Buffer): Representation {
    const etag = entityTag(this.#tag, encoding);
    const validators = pageValidators(this.#path, etag);
    const headers = wholeHeaders({ type: PAGE_TYPE, length: body.length, encoding, validators });
    return { body, etag, headers, validators };
  }
}

/** Pages by their addresses. */
export type MadePages = ReleaseMemory<MadePage>;

const MAX_BYTES = 32 * 1024 * 1024;
/** Beside the body: the compressed one, which is smaller, and the objects of an entry, with their headers. */
const TIMES_BODY = 2;
const OVERHEAD_BYTES = 2500;

export function madePages(maxBytes = MAX_BYTES): MadePages {
  return new ReleaseMemory(
    maxBytes,
    ({ identity }, key) => (identity.body.length + key.length) * TIMES_BODY + OVERHEAD_BYTES,
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
    if (page instanceof MadePage) {
      const isZipped = prefersGzip(request.headers["accept-encoding"]);
      sendWhole(request, response, isZipped ? await page.zipped() : page.identity);
    } else {
      response.writeHead(page.status, refusedPageHeaders(page.body.length, fileOf(read)));
      response.end(request.method === "HEAD" ? undefined : page.body);
    }
  } catch (error) {
    const failure = publicErrorOf(error, deps.log, randomUUID());
    const body = Buffer.from(`${failure.message}\n\nTry again later.\n`);
    response.writeHead(failure.status, passingTextHeaders(body.length));
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

/** The path below `site/` of the page without arguments. */
function fileOf({ page }: PageRead): string {
  return `${page.path.slice(1)}index.html`;
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
  const now = new MadePage(fileOf(read), body, foundNothing);
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
