import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { sha256 } from "../../kernel/hash.ts";
import { type CachedRows, withoutRows } from "./cached-rows.ts";

/** Of the files, which V8 reads and writes; those of another one are deleted. */
const FORMAT = `3 ${process.versions.v8}`;
const HASH_BYTES = 32;

interface CacheFile {
  readonly format: string;
  readonly program: string; // that folded the rows
  readonly kept: CachedRows;
}

/**
 * The folder of cached rows, which lies beside the ledger: one file for each range. Owns its files; whatever is wrong with one, it is as
 * if it were not there.
 */
export class RowCache {
  readonly #folder: string;

  constructor(ledgerPath: string) {
    this.#folder = `${ledgerPath}-cache`;
  }

  /**
   * The ranges that `program` kept, in order from the first row, without `erased` rows, up to `upTo`. Ends before one that is missing or
   * damaged, or does not continue the one before.
   */
  *ranges(program: string, upTo: number, erased: ReadonlySet<number>): Generator<CachedRows> {
    for (let last: CachedRows | undefined; ; ) {
      const file = this.#read(nameOf(last?.end.size ?? 0), erased);
      if (file?.program !== program || file.kept.end.size > upTo || !continues(file.kept, last)) return;
      last = file.kept;
      yield last;
    }
  }

  /** Where the range cannot be written, it is not there: no build fails for a cache, and no erased value stays. */
  write(program: string, kept: CachedRows): void {
    const file: CacheFile = { format: FORMAT, program, kept };
    const body = serialize(file);
    const path = join(this.#folder, nameOf(kept.start.size));
    const written = `${path}.new`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(written, Buffer.concat([sha256(body), body]), { mode: SECRET_MODE });
      renameSync(written, path);
    } catch {
      for (const left of [written, path]) rmSync(left, { recursive: true, force: true });
    }
  }

  /** Writes every range anew that says anything of these rows, and deletes what is no range. */
  erase(rows: ReadonlySet<number>): void {
    for (const name of this.#names()) this.#read(name, rows);
  }

  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #names(): string[] {
    const isFolder = statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? readdirSync(this.#folder) : [];
  }

  #read(name: string, erased: ReadonlySet<number>): CacheFile | undefined {
    const path = join(this.#folder, name);
    const file = readFile(path);
    if (file === undefined || name !== nameOf(file.kept.start.size)) {
      rmSync(path, { recursive: true, force: true });
      return undefined;
    }
    const kept = withoutRows(file.kept, erased);
    if (kept !== file.kept) this.write(file.program, kept);
    return { ...file, kept };
  }
}

function nameOf(after: number): string {
  return `rows-${after + 1}`;
}

function readFile(path: string): CacheFile | undefined {
  try {
    const bytes = readFileSync(path);
    const body = bytes.subarray(HASH_BYTES);
    if (!sha256(body).equals(bytes.subarray(0, HASH_BYTES))) return undefined;
    const file: CacheFile = deserialize(body);
    return file.format === FORMAT ? file : undefined;
  } catch {
    return undefined;
  }
}

function continues({ start }: CachedRows, before: CachedRows | undefined): boolean {
  return before === undefined ? start.size === 0 : Buffer.from(start.peaks).equals(before.end.peaks);
}
