/** The limits of a release, measured: what the machine takes to move the same bytes with nothing in between. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import Database from "better-sqlite3";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";

/** Rows/s of reading every row of a ledger as it is and having SQLite write the whole snapshot once more. */
export function bareSnapshotRate(ledger: string, snapshot: string, rows: number): number {
  const copy = `${snapshot}.copy`;
  const start = performance.now();
  const source = new Database(ledger, { readonly: true });
  const columns = source.prepare(
    "SELECT r.id, r.kind, r.accepted_at, r.digests, r.leaf_hash, o.salts, o.body FROM rows r JOIN openings o ON o.row = r.id",
  );
  for (const _ of columns.raw().iterate());
  source.close();
  const built = new Database(snapshot, { readonly: true });
  built.prepare("VACUUM INTO ?").run(copy);
  built.close();
  const seconds = (performance.now() - start) / 1000;
  rmSync(copy);
  return rows / seconds;
}

const SAMPLE = 60_000;

/** Number of files of a site, and files/s of writing them from memory into a fresh folder. */
export function bareFileRate(site: string, scratch: string) {
  const paths = filesBelow(site);
  const step = Math.ceil(paths.length / SAMPLE);
  const sample = paths
    .filter((_, at) => at % step === 0)
    .map((path) => ({ path: join(scratch, relative(site, path)), bytes: readFileSync(path) }));
  const folders = new Set<string>();
  const start = performance.now();
  for (const { path, bytes } of sample) {
    const folder = dirname(path);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    writeFileSync(path, bytes);
  }
  const seconds = (performance.now() - start) / 1000;
  rmSync(scratch, { recursive: true });
  return { files: paths.length, perSecond: sample.length / seconds };
}
