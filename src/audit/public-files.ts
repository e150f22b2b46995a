import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";

/** The published files of a release, wherever they lie. Paths are those below `site/`. */
export interface PublicFiles {
  /** Undefined when there is no such file. Throws OperatorError when that cannot be told. */
  read(path: string): Promise<Buffer | undefined>;
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
      const file = openOrUndefined(join(site, path));
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
  readonly timeoutMs?: number;
  readonly attempts?: number;
}

const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Files below a base URL, as any static server has them. Redirections are not followed: evidence has one address. */
export function filesAtUrl(base: string, options: UrlOptions): PublicFiles {
  const { timeoutMs = 30_000, attempts = 3 } = options;
  const root = `${baseUrl(base)}/`;
  return {
    async read(path) {
      const url = new URL(path.split("/").map(encodeURIComponent).join("/"), root);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await download(url, options.fetch, timeoutMs);
        } catch (error) {
          if (error instanceof OperatorError || attempt === attempts) throw unreachable(url, error);
        }
      }
    },
  };
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new OperatorError(`--url ${text}: give the address of the site, for example https://example.org`);
  return url.href.replace(/\/+$/, "");
}

async function download(url: URL, get: typeof fetch, timeoutMs: number): Promise<Buffer | undefined> {
  const response = await get(url, {
    redirect: "error",
    headers: { "Accept-Encoding": "identity" },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) throw new OperatorError(`${url.href}: the server answered ${response.status}`);
  return readBody(url, response);
}

async function readBody(url: URL, response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_FILE_BYTES) throw new OperatorError(`${url.href}: larger than any file of a release`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

function unreachable(url: URL, cause: unknown): OperatorError {
  if (cause instanceof OperatorError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`${url.href}: could not be fetched: ${reason}`, { cause });
}
