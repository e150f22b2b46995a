import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { factsOf } from "../../activity/activity.ts";
import { hasErrorCode, PublicError } from "../../kernel/errors.ts";
import { nodeHash } from "../../kernel/hash.ts";
import { hasHeldRelease, releasePaths } from "../../kernel/home.ts";
import { type Clock, SECOND_MS } from "../../kernel/time.ts";
import { NotInTree, type ProofRequest, type ReadFile, rowProof } from "../../proof/tlog/tile-tree.ts";
import type { PathValues, QueryValues } from "../../resources/define.ts";
import { search } from "../../resources/records/search.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import type { Route } from "../../site/routes/routes.ts";
import { sendWhole } from "../files/send-file.ts";
import { compress, encodingFor } from "../http/compress.ts";
import { readValidators, wholeHeaders } from "../http/headers.ts";
import { entityTag, isKnown, tagOf } from "../http/negotiate.ts";
import type { Admission } from "../limits/admission.ts";
import { type Limiter, readRefusal } from "../limits/rate-limit.ts";
import type { ReadTask } from "./read-pool.ts";
import type { ReleaseSource } from "./release-source.ts";

const COUNT = /^[1-9][0-9]{0,14}$/;

/** Parses a row number. Throws PublicError 404 for anything else. */
export function proofRow(row: string): number {
  if (!COUNT.test(row)) throw new PublicError(404, "the ledger row must be a whole number, starting at 1");
  return Number(row);
}

/** A proof made from the release's own tiles, so that a static copy of the site proves the same. `size`: of an earlier tree. */
export function proofRead(row: number, { size }: QueryValues): Read {
  if (size !== undefined && (typeof size !== "string" || !COUNT.test(size)))
    throw new PublicError(400, "size must be the size of a signed tree");
  const request: ProofRequest = { row, size: size === undefined ? undefined : Number(size) };
  return {
    contentType: "text/plain; charset=utf-8",
    text: ({ site }) => proofText(request, filesBelow(join(site, "ledger"))),
  };
}

async function proofText(request: ProofRequest, read: ReadFile): Promise<string> {
  try {
    return await rowProof(request, read, nodeHash);
  } catch (error) {
    if (error instanceof NotInTree) throw new PublicError(404, error.message);
    throw error;
  }
}

function filesBelow(folder: string): ReadFile {
  return async (path) => {
    try {
      return await readFile(join(folder, path));
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return undefined;
      throw error;
    }
  };
}

export interface ReadDeps {
  readonly releases: ReleaseSource;
  readonly pool: { read(task: ReadTask): Promise<string> };
  readonly limiter: Limiter;
  readonly admission: Pick<Admission, "take" | "takeFromAddress">;
}

/** An answer from a release; `text` may be called again with a newer one. */
export interface Read {
  readonly contentType: string;
  /** The answer is valid for seconds only. One computation serves all requests, so none counts against a rate limit. */
  readonly isBrief?: true;
  readonly dependsOnTime?: true;
  /** Of a search: whether its answer has no record. */
  readonly foundNothing?: ((text: string) => boolean) | undefined;
  text(release: ServedRelease, deps: ReadDeps): string | Promise<string>;
}

/** Reads done by a worker, because one of them may take tens of milliseconds. */
const OFF_THE_LOOP = new Set([
  "searchEntities",
  "exportFoundRecords",
  "exportExplorerCsv",
  "exportRecordObservations",
]);

/** Answer from the snapshot, within the client's allowance. Throws PublicError 400, 401, 403, 404, 410, 429 or 503. */
export async function answerRead(
  deps: ReadDeps,
  read: Read,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!read.isBrief) await admitRead(deps, request, response);
  const { text, publishedAt } = await inOneRelease(deps.releases, async (release) => {
    return { text: await read.text(release, deps), publishedAt: release.publishedAt };
  });
  if (read.foundNothing?.(text) === true) factsOf(request).foundNothing = true;
  const body = Buffer.from(text);
  const encoding = encodingFor(request, body.length);
  const etag = entityTag(tagOf(body), encoding);
  const lastModified = read.dependsOnTime ? undefined : publishedAt; // the time changes the answer within a release
  const validators = readValidators(etag, read.isBrief, lastModified);
  const sent = isKnown(request.headers, { etag, lastModified }) ? body : await compress(body, encoding);
  const headers = wholeHeaders({ type: read.contentType, length: sent.length, encoding, validators });
  sendWhole(request, response, { body: sent, etag, lastModified, headers, validators });
}

/** Sets the headers of the client's allowance. Throws PublicError 401, 403 or 429. */
export async function admitRead(
  deps: ReadDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { retryAfter } = await deps.admission.take(deps.limiter, request, response);
  refuseAfter(deps, retryAfter);
}

/**
 * The same for a document in the place of a file, which caches keep for everybody: keys do not matter, and it has no headers of
 * the client's allowance.
 */
export async function admitDocument(deps: ReadDeps, request: IncomingMessage): Promise<void> {
  const { retryAfter } = await deps.admission.takeFromAddress(deps.limiter, request);
  refuseAfter(deps, retryAfter);
}

function refuseAfter({ releases }: ReadDeps, retryAfter: number | undefined): void {
  if (retryAfter !== undefined)
    throw readRefusal(retryAfter, published(releases).context.snapshot.release().baseUrl);
}

/** Begins again in the newer release for as long as its own was removed meanwhile. */
export async function inOneRelease<T>(
  releases: ReleaseSource,
  work: (release: ServedRelease) => T | Promise<T>,
): Promise<T> {
  for (let release = published(releases); ; ) {
    try {
      return await work(release);
    } catch (error) {
      if (error instanceof PublicError) throw error;
      releases.refresh();
      const newer = published(releases);
      if (newer === release) throw error;
      release = newer;
    }
  }
}

/** A route of the registry with the arguments of one request. */
export function routeRead(route: Route, path: PathValues, query: QueryValues): Read {
  const { operationId, contentType } = route;
  if (!OFF_THE_LOOP.has(operationId))
    return { contentType, text: ({ context }) => route.answer(context, path, query) };
  return {
    contentType,
    foundNothing: operationId === search.operationId ? hasNoResults : undefined,
    text: ({ directory }, { pool }) =>
      pool.read({ operationId, snapshot: releasePaths(directory).snapshot, path, query }),
  };
}

/** In a JSON string the quotation marks are escaped, so no searched name can contain this. */
function hasNoResults(json: string): boolean {
  return json.includes('"results":[]');
}

/** Throws PublicError 503 before the first release, and for one of which the files alone are served. */
export function published({ current, filesOnly }: ReleaseSource): ServedRelease {
  if (current !== undefined) return current;
  const reason =
    filesOnly === undefined
      ? "nothing is published yet"
      : "the service is being upgraded, and answers without arguments alone until its next release";
  throw new PublicError(503, `${reason}: try again later`);
}

/** How long an answer is valid, as in its Cache-Control (headers.ts): caches and If-None-Match help, and frequent polling costs nothing. */
const TIMED_STEP_MS = 10 * SECOND_MS;

interface Kept {
  readonly release: ServedRelease;
  readonly now: number;
  readonly text: string;
}

interface TimedRead extends Read {
  text(release: ServedRelease): string;
}

/** Owns the latest answers of routes that depend on the time of the request, one for each address. */
export class TimedReads {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  read(route: Route, path: PathValues, query: QueryValues): TimedRead {
    const now = Math.floor(this.#clock() / TIMED_STEP_MS) * TIMED_STEP_MS;
    const { contentType } = route;
    const answer = ({ context, directory }: ServedRelease) => {
      const isReleaseHeld = hasHeldRelease(dirname(directory));
      return route.answer({ ...context, now, isReleaseHeld }, path, query);
    };
    if (Object.keys(query).length > 0) return { contentType, dependsOnTime: true, text: answer };
    const address = route.filePath(path);
    return {
      contentType,
      dependsOnTime: true,
      isBrief: true,
      text: (release) => this.#keep(address, release, now, answer),
    };
  }

  #keep(address: string, release: ServedRelease, now: number, answer: (release: ServedRelease) => string) {
    const kept = this.#kept.get(address);
    if (kept?.release === release && kept.now === now) return kept.text;
    const text = answer(release);
    this.#kept.set(address, { release, now, text });
    return text;
  }
}
