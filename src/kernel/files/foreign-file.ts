import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../errors.ts";

/** The text of a file that the operator named with `option`, if any. Throws OperatorError for a file that cannot be read or is not UTF-8. */
export function readNamedFile(path: string, option = ""): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readWhole(path));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${`${option} ${path}`.trim()}: ${problemOf(cause)}`, { cause });
  }
}

function readWhole(path: string): Buffer {
  const file = openNamed(path, constants.O_RDONLY);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const ROOT = 0;
const MODE = 0o600;

/**
 * Opens a file where the operator named it, once. Another user may write in its folder, so a link is followed only where this user or root made it. Throws
 * OperatorError for another user's link, and the system's errors.
 */
export function openNamed(path: string, flags: number): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = stats !== undefined && [ROOT, process.geteuid?.()].includes(stats.uid);
  try {
    return openSync(path, stats?.isSymbolicLink() && isOwn ? flags : flags | constants.O_NOFOLLOW, MODE);
  } catch (cause) {
    if (!hasErrorCode(cause, "ELOOP")) throw cause;
    throw new OperatorError(`${path}: a link of another user, which is not followed`, { cause });
  }
}

/** The same for reading, and only a regular file: a pipe that somebody put there would wait for ever. Throws OperatorError for anything else. */
export function openRegular(path: string): number {
  try {
    const file = openNamed(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${path}: ${problemOf(cause)}`, { cause });
  }
  throw new OperatorError(`${path}: not a regular file`);
}

/** Throws OperatorError naming the first file that does not exist. */
export function assertFilesExist(paths: readonly string[]): void {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new OperatorError(`${missing}: file not found`);
}

/** Throws OperatorError for a file that is not there, and for one that this user may not read, saying how to hand it over. */
export function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    if (!hasErrorCode(cause, "EACCES")) throw new OperatorError(`${path}: ${problemOf(cause)}`, { cause });
    throw new OperatorError(
      `${path}: the user who runs this command may not read it: hand it over with \`presence ingest - < FILE\`, which reads what your shell opened, or put it into the inbox of its source`,
      { cause },
    );
  }
}

function problemOf(cause: unknown): string {
  if (hasErrorCode(cause, "ENOENT")) return "file not found";
  if (cause instanceof TypeError) return "the file is not UTF-8";
  return `the file cannot be read (${cause instanceof Error ? cause.message : String(cause)})`;
}

/**
 * Files that another user may have put where they lie: opened once, through no link, and checked through the descriptor. What is read is what was
 * checked, whatever happens to the names meanwhile.
 */

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
const CHUNK_BYTES = 1 << 20;
const DESCRIPTORS = "/proc/self/fd"; // of Linux: a folder that is open, by its number

export interface FileRules {
  readonly maxBytes: number;
  /** The content, where it is known: then a file may have several names. */
  readonly sha256?: string | undefined;
  /** Whether it may have several names all the same, as a new file has for a moment. */
  readonly hasNames?: boolean;
  /** Throws for what else is wrong with it: its owner, its mode. */
  readonly assert?: (stats: Stats) => void;
}

/** A file that has been opened and checked. */
class ForeignFile implements Disposable {
  readonly bytes: number;
  readonly #path: string; // for messages
  readonly #file: number;
  readonly #expected: string | undefined;

  /** `name` may have folders; none of them, and not the file, may be a link. */
  constructor(folder: string, name: string, { maxBytes, sha256, hasNames = false, assert }: FileRules) {
    this.#path = join(folder, name);
    this.#expected = sha256;
    this.#file = openBelow(folder, name);
    try {
      const stats = fstatSync(this.#file);
      const { size, nlink } = stats;
      if (!stats.isFile()) throw this.#refusal("not a regular file");
      if (nlink > 1 && sha256 === undefined && !hasNames)
        throw this.#refusal("it has another name (a hard link)");
      if (size > maxBytes) throw this.#refusal(`it has ${size} bytes, more than ${maxBytes}`);
      assert?.(stats);
      this.bytes = size;
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The content in pieces, which are reused; ends with an OperatorError where it is not the expected one. Returns its SHA-256 (hex). */
  *read(): Generator<Buffer, string> {
    const hash = createHash("sha256");
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, this.bytes + 1));
    let total = 0;
    for (let count = -1; count !== 0; ) {
      count = readSync(this.#file, buffer, 0, buffer.length, null);
      total += count;
      if (total > this.bytes) throw this.#refusal("it grew while it was read");
      hash.update(buffer.subarray(0, count));
      yield buffer.subarray(0, count);
    }
    const sha256 = hash.digest("hex");
    if (this.#expected !== undefined && sha256 !== this.#expected)
      throw this.#refusal("it differs from the file that was backed up");
    return sha256;
  }

  #refusal(how: string): OperatorError {
    return new OperatorError(`${this.#path}: ${how}: not read`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Throws OperatorError for what is no such file, and the system's error for a missing one. */
export function readForeignFile(folder: string, name: string, rules: FileRules): Buffer {
  using file = new ForeignFile(folder, name, rules);
  return Buffer.concat(Array.from(file.read(), (piece) => Buffer.from(piece)));
}

/** Copies to a new file of this user; returns its SHA-256 (hex). Throws as `readForeignFile` does, and leaves nothing then. */
export function copyForeignFile(
  folder: string,
  name: string,
  to: string,
  rules: FileRules & { readonly mode: number },
): string {
  using file = new ForeignFile(folder, name, rules);
  const copy = openSync(to, "wx", 0o600);
  let isWhole = false;
  try {
    const pieces = file.read();
    let piece = pieces.next();
    for (; piece.done !== true; piece = pieces.next())
      for (let at = 0; at < piece.value.length; ) at += writeSync(copy, piece.value, at);
    fchmodSync(copy, rules.mode);
    fsyncSync(copy);
    isWhole = true;
    return piece.value;
  } finally {
    closeSync(copy);
    if (!isWhole) rmSync(to, { force: true });
  }
}

/** A folder that was opened through no link: below `path` nothing leads elsewhere, whatever becomes of its name. */
export class ForeignFolder implements Disposable {
  readonly path: string;
  readonly #file: number;

  constructor(folder: string, shown = folder) {
    this.#file = openStep(folder, shown, O_DIRECTORY);
    this.path = existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${this.#file}` : folder;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Opens step by step, so that a folder which is exchanged meanwhile leads nowhere else. The folder itself is trusted. */
function openBelow(folder: string, name: string, shown = folder): number {
  const [step = "", ...steps] = name.split("/");
  const path = join(shown, step); // for messages
  if (steps.length === 0) return openStep(join(folder, step), path, O_NONBLOCK);
  using at = new ForeignFolder(join(folder, step), path);
  return openBelow(at.path, steps.join("/"), path);
}

function openStep(step: string, path: string, flags: number): number {
  try {
    return openSync(step, O_RDONLY | O_NOFOLLOW | flags);
  } catch (cause) {
    if (!["ELOOP", "ENOTDIR", "ENXIO"].some((code) => hasErrorCode(cause, code))) throw cause;
    throw new OperatorError(`${path}: a link, or neither a file nor a folder: not read`, { cause });
  }
}
