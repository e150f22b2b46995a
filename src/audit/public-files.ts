import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { FormatError } from "../tlog/format-error.ts";

/** The published files of a release, wherever they lie. Paths are those below `site/`. */
export interface PublicFiles {
  /** Undefined when there is no such file. Throws OperatorError when that cannot be determined. */
  read(path: string): Promise<Buffer | undefined>;
}

/** Throws FormatError for a file that is not there. */
export async function readPublished(files: PublicFiles, path: string): Promise<Buffer> {
  const bytes = await files.read(path);
  if (bytes === undefined) throw new FormatError("the file is missing");
  return bytes;
}

export function filesInFolder(site: string): PublicFiles {
  return {
    async read(path) {
      try {
        return readFileSync(join(site, path));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
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

function openOrUndefined(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT") || hasErrorCode(error, "ENOTDIR");
}

export interface UrlOptions {
  readonly fetch: typeof fetch;
  readonly silenceMs?: number; // longest time without data from the server
  readonly pauseMs?: number; // before it is asked again
  readonly attempts?: number;
  readonly maxBytes?: number;
  readonly waitOf?: (seconds: number) => number; // ms; tests wait less than the server asks
}

/** No file of a release comes near. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

const waitOf = (seconds: number) => seconds * 1000;
const DEFAULTS = { silenceMs: 30_000, pauseMs: 1000, attempts: 3, maxBytes: MAX_FILE_BYTES, waitOf };
type Download = typeof DEFAULTS & UrlOptions;

/** The server answered, but not with a file of a release; a retry would not change that. */
class WrongAnswer extends Error {}

/**
 * Files below a base URL, as any static server has them. Redirections are not followed: evidence has one address. A site that
 * could not be reached is not asked again.
 */
export function filesAtUrl(base: string, options: UrlOptions): PublicFiles {
  const root = `${baseUrl(base)}/`;
  const how = { ...DEFAULTS, ...options };
  let lost: unknown;
  return {
    async read(path) {
      if (lost !== undefined) throw lost;
      const url = new URL(root + path.split("/").map(encodeURIComponent).join("/"));
      try {
        return await tryToDownload(url, how);
      } catch (error) {
        if (!(error instanceof WrongAnswer)) lost ??= error;
        throw error;
      }
    },
  };
}

/** The server answers so many requests in a time, and says when the next one may come. */
class NotYet extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super("the server asks to wait");
    this.seconds = seconds;
  }
}

/** Longer than that no limit of this service lasts. */
const MAX_WAIT_S = 120;

async function tryToDownload(url: URL, how: Download): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await download(url, how);
    } catch (error) {
      if (error instanceof WrongAnswer) throw error;
      if (error instanceof NotYet) {
        await pause(how.waitOf(error.seconds));
        attempt -= 1; // to wait as asked is no failure
        continue;
      }
      if (attempt >= how.attempts) throw unreachable(url, error);
    }
    await pause(how.pauseMs);
  }
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol = "", search = "", hash = "", username = "", password = "" } = url ?? {};
  if (url === undefined || !/^https?:$/.test(protocol) || search + hash + username + password !== "")
    throw new OperatorError(`--url ${text}: give the address of the site, for example https://example.org`);
  return url.href.replace(/\/+$/, "");
}

async function download(url: URL, how: Download): Promise<Buffer | undefined> {
  const silence = new AbortController();
  const tooLong = () => silence.abort(new Error(`nothing came for ${how.silenceMs / 1000} s`));
  const timer = setTimeout(tooLong, how.silenceMs);
  try {
    const response = await how.fetch(url, {
      redirect: "manual",
      headers: { "Accept-Encoding": "identity", "Cache-Control": "no-cache" },
      signal: silence.signal,
    });
    if (response.status === 200) return await readBody(response, how.maxBytes, () => timer.refresh());
    await response.body?.cancel();
    if (response.status === 429) throw refusal(response.headers.get("retry-after"));
    return noFile(response.status);
  } finally {
    clearTimeout(timer);
  }
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

async function readBody(response: Response, maxBytes: number, onPart: () => void): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    onPart();
    length += part.length;
    if (length > maxBytes) throw new WrongAnswer("it is larger than any file of a release");
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

function unreachable(url: URL, error: unknown): OperatorError {
  // `fetch failed` says nothing: why it did is one level down.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`${url.href}: could not be fetched: ${reason}: try again later`, { cause: error });
}
