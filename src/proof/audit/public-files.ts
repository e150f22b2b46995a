import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
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
