import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as timer } from "node:timers/promises";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Clock } from "../../kernel/time.ts";
import { FormatError } from "../tlog/bytes.ts";
import type { Findings } from "./findings.ts";

/** The published files of a release, wherever they lie. Paths are those below `site/`. */
export interface PublicFiles {
  /** Undefined when there is no such file. Throws OperatorError when that cannot be determined. */
  read(path: string): Promise<Buffer | undefined>;
}

/** No file of a release comes near. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Throws FormatError for a file that is not there. */
export async function readPublished(files: PublicFiles, path: string): Promise<Buffer> {
  const bytes = await files.read(path);
  if (bytes === undefined) throw new FormatError("the file is missing");
  return bytes;
}

export function filesInFolder(site: string): PublicFiles {
  return {
    async read(path) {
      const file = openOrUndefined(join(site, path));
      if (file === undefined) return undefined;
      try {
        return readFileSync(file);
      } finally {
        closeSync(file);
      }
    },
  };
}

/**
 * The same with one buffer for all files: what `read` gives is overwritten by the next `read`. For hashing many files, where
 * fresh memory for each costs more than reading it.
 */
export function filesInFolderByTurns(site: string): PublicFiles {
  let buffer = Buffer.alloc(FIRST_BUFFER);
  return {
    async read(path) {
      const file = openOrUndefined(`${site}/${path}`); // to normalize paths would cost a tenth of reading
      if (file === undefined) return undefined;
      try {
        for (let length = 0; ; ) {
          const count = readSync(file, buffer, length, buffer.length - length, null);
          if (count === 0) return buffer.subarray(0, length);
          length += count;
          if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
        }
      } finally {
        closeSync(file);
      }
    },
  };
}

const FIRST_BUFFER = 1024 * 1024;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A folder may be anybody's: a link in the place of a file is no file of a release, nor is a pipe, which would wait. */
function openOrUndefined(path: string): number | undefined {
  try {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    return undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].some((code) => hasErrorCode(error, code));
}

/** A published file and what it must be. */
export interface ListedFile {
  readonly path: string;
  readonly sha256: string;
}

export async function auditFile(
  files: PublicFiles,
  { path, sha256 }: ListedFile,
  findings: Findings,
): Promise<void> {
  findings.checked("files");
  await findings.attempt(path, async () => bodyOf(await readPublished(files, path), sha256));
}

/** The bytes of a file, if they are those of the signed list. */
export function bodyOf(bytes: Buffer, sha256: string): Buffer {
  if (sha256Hex(bytes) !== sha256) throw new Error("its hash is not the one in the signed list");
  return bytes;
}

/**
 * The published files of a site, read over HTTP. Whatever its server does, reading ends: every file has a least speed, a longest wait
 * and a largest size, and all files together have a time and a size. A site that meets such a bound is asked no more. Large files
 * come one at a time, so that what is read at once has a size, too.
 */

export interface SiteOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock; // ms
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly maxMs: number; // for all files
  readonly maxBytes: number; // of all files
  readonly maxFileBytes: number;
  readonly maxBytesBeside: number; // of a file that comes beside others
  readonly silenceMs: number; // longest time without data from the server
  readonly attempts: number;
}

const HOUR = 3_600_000;
const GB = 1_000_000_000;
export const DEFAULT_BOUNDS = { maxHours: 24, maxGb: 100 };

const DEFAULTS: SiteOptions = {
  fetch,
  clock: () => performance.now(),
  pause: (ms, signal) => timer(ms, undefined, { signal }),
  ...siteBounds(DEFAULT_BOUNDS),
  maxFileBytes: MAX_FILE_BYTES,
  maxBytesBeside: 32 * 1024 * 1024,
  silenceMs: 30_000,
  attempts: 3,
};

/** For all files together, of options of a command. */
export function siteBounds({ maxHours, maxGb }: typeof DEFAULT_BOUNDS) {
  return { maxMs: maxHours * HOUR, maxBytes: maxGb * GB };
}

/** A file may come at any speed for so long. */
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 1000;
/** Longer than that no limit of this service lasts. */
const MAX_WAIT_S = 120;
/** All waits for a file together. */
const MAX_WAITS_MS = 600_000;
const PAUSE_MS = 1000;

/** The server answered, but not with a file of a release; a retry would not change that. */
class WrongAnswer extends Error {}

/** The file is so large that it comes alone. */
class Large extends Error {}

/** A bound is met: no retry, and no other file. */
class BoundMet extends OperatorError {}

/** The server answers so many requests in a time, and says when the next one may come. */
class NotYet extends Error {
  readonly ms: number;

  constructor(seconds: number) {
    super("the server asks to wait");
    this.ms = seconds * 1000;
  }
}

/**
 * Files below a base URL, as any static server has them. Redirections are not followed: evidence has one address. A site that
 * could not be reached is not asked again.
 */
export function filesAtUrl(base: string, options: Partial<SiteOptions> = {}): PublicFiles {
  const site = new Site(baseUrl(base), { ...DEFAULTS, ...options });
  return { read: (path) => site.read(path) };
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol = "", search = "", hash = "", username = "", password = "" } = url ?? {};
  if (url === undefined || !/^https?:$/.test(protocol) || search + hash + username + password !== "")
    throw new OperatorError(`--url ${text}: give the address of the site, for example https://example.org`);
  return url.href.replace(/\/+$/, "");
}

class Site {
  readonly #root: string;
  readonly #how: SiteOptions;
  readonly #lost = new AbortController(); // ends the downloads beside the one that failed, too
  #begun: number | undefined;
  #files = 0;
  #bytes = 0;
  #large: Promise<unknown> = Promise.resolve(); // ends with the large files that are asked for now

  constructor(root: string, how: SiteOptions) {
    this.#root = root;
    this.#how = how;
  }

  async read(path: string): Promise<Buffer | undefined> {
    const { signal } = this.#lost;
    signal.throwIfAborted();
    this.#begun ??= this.#how.clock();
    try {
      const bytes = await this.#tryToDownload(new URL(`${this.#root}/${encoded(path)}`));
      this.#files += 1;
      return bytes;
    } catch (error) {
      if (!(error instanceof WrongAnswer)) this.#lost.abort(error);
      throw signal.aborted ? signal.reason : error;
    }
  }

  async #tryToDownload(url: URL): Promise<Buffer | undefined> {
    const retries = new Retries(url, this.#how.attempts);
    for (let isLarge = false; ; ) {
      let ms: number;
      try {
        return await (isLarge ? this.#downloadAlone(url) : this.#download(url, this.#how.maxBytesBeside));
      } catch (error) {
        isLarge ||= error instanceof Large;
        ms = error instanceof Large ? 0 : retries.pauseAfter(error);
      }
      this.#assertTime(url, ms);
      await this.#how.pause(ms, this.#lost.signal);
    }
  }

  #downloadAlone(url: URL): Promise<Buffer | undefined> {
    const file = this.#large.then(() => this.#download(url, this.#how.maxFileBytes));
    const ended = () => undefined; // and the file is not held
    this.#large = file.then(ended, ended);
    return file;
  }

  async #download(url: URL, mostBytes: number): Promise<Buffer | undefined> {
    const { fetch, silenceMs } = this.#how;
    const silence = new AbortController();
    const tooLong = () => silence.abort(new Error(`nothing came for ${silenceMs / 1000} s`));
    const timeout = setTimeout(tooLong, silenceMs);
    try {
      const response = await fetch(url, {
        redirect: "manual",
        headers: { "Accept-Encoding": "identity", "Cache-Control": "no-cache" },
        signal: AbortSignal.any([silence.signal, this.#lost.signal]),
      });
      if (response.status === 200)
        return await this.#readBody(url, response, mostBytes, () => timeout.refresh());
      await response.body?.cancel();
      if (response.status === 429) throw refusal(response.headers.get("retry-after"));
      return noFile(response.status);
    } finally {
      clearTimeout(timeout);
    }
  }

  async #readBody(url: URL, response: Response, mostBytes: number, onPart: () => void): Promise<Buffer> {
    const { clock, maxFileBytes } = this.#how;
    const begun = clock();
    const announced = Number(response.headers.get("content-length"));
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      onPart();
      length += part.length;
      const size = Math.max(length, announced);
      if (size > maxFileBytes) throw new WrongAnswer("it is larger than any file of a release");
      this.#take(url, part.length);
      if (size > mostBytes) throw new Large();
      assertSpeed(url, length, clock() - begun);
      parts.push(part);
    }
    return Buffer.concat(parts, length);
  }

  #take(url: URL, bytes: number): void {
    const { maxBytes } = this.#how;
    this.#bytes += bytes;
    if (this.#bytes > maxBytes)
      throw new BoundMet(
        `${this.#root}: more than ${maxBytes / GB} GB came (${this.#soFar(url)}): raise --max-gb if you trust the site`,
      );
    this.#assertTime(url);
  }

  #assertTime(url: URL, more = 0): void {
    const { clock, maxMs } = this.#how;
    if (clock() + more - (this.#begun ?? 0) > maxMs)
      throw new BoundMet(
        `${this.#root}: not read within ${maxMs / HOUR} h (${this.#soFar(url)}): raise --max-hours, or try again later`,
      );
  }

  #soFar(url: URL): string {
    const count = (value: number) => value.toLocaleString("en-US");
    return `${count(this.#files)} files and ${count(this.#bytes)} bytes, then ${url.href}`;
  }
}

/** When a file is asked for again. */
class Retries {
  readonly #url: URL;
  readonly #attempts: number;
  #failures = 0;
  #waitedMs = 0;

  constructor(url: URL, attempts: number) {
    this.#url = url;
    this.#attempts = attempts;
  }

  /** Throws where no retry helps, or there were enough. */
  pauseAfter(error: unknown): number {
    if (error instanceof WrongAnswer || error instanceof BoundMet) throw error;
    if (error instanceof NotYet) return this.#waitFor(error.ms); // to wait as asked is no failure
    this.#failures += 1;
    if (this.#failures >= this.#attempts) throw unreachable(this.#url, error);
    return PAUSE_MS;
  }

  #waitFor(ms: number): number {
    this.#waitedMs += ms;
    if (this.#waitedMs <= MAX_WAITS_MS) return ms;
    throw new BoundMet(
      `${this.#url.href}: the server asked to wait (429) for more than ${MAX_WAITS_MS / 60_000} minutes: try again later`,
    );
  }
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function assertSpeed(url: URL, bytes: number, ms: number): void {
  if (ms <= GRACE_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000) return;
  const came = `${bytes.toLocaleString("en-US")} bytes came in ${Math.round(ms / 1000)} s`;
  throw new BoundMet(
    `${url.href}: ${came}, less than ${MIN_BYTES_PER_SECOND} bytes a second: try again later, or from another network`,
  );
}

function refusal(retryAfter: string | null): Error {
  const seconds = Number(retryAfter ?? Number.NaN);
  const isKnown = Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_WAIT_S;
  return isKnown ? new NotYet(seconds) : new Error("the server answered 429");
}

/** Undefined when the server reports no such file. Throws for every other problem. */
function noFile(status: number): undefined {
  if (status === 404 || status === 410) return undefined;
  if (status >= 500) throw new Error(`the server answered ${status}`);
  const hint = status >= 300 && status < 400 ? ": redirections are not followed" : "";
  throw new WrongAnswer(`the server answered ${status}${hint}`);
}

function unreachable(url: URL, error: unknown): OperatorError {
  // `fetch failed` says nothing: why it did is one level down.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`${url.href}: could not be fetched: ${reason}: try again later`, { cause: error });
}
