import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { z } from "zod";
import { type SearchMessage, SearchTask } from "../search-erased.ts";
import type { TaskModule } from "../tasks.ts";

/** Searches a share of a release's files. The tables of cities are packed: a Parquet file has the rows of the CSV, which is unpacked. */
export const run: TaskModule["run"] = async (raw, send) => {
  const { site, paths, needles } = SearchTask.parse(raw);
  const sought = needles.map((needle) => Buffer.from(needle));
  const found: string[] = [];
  for (const path of paths) {
    const bytes = readFileSync(join(site, path));
    const isFound = path.endsWith(".gz") ? await hasUnpacked(bytes, sought) : hasAny(bytes, sought);
    if (isFound) found.push(path);
  }
  const message: z.infer<typeof SearchMessage> = { found };
  send(message);
};

function hasAny(bytes: Buffer, sought: readonly Buffer[]): boolean {
  return sought.some((needle) => bytes.includes(needle));
}

const PIECE = 2 ** 20;

/** Piece by piece: the observations of a large city are hundreds of megabytes. */
async function hasUnpacked(packed: Buffer, sought: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(...sought.map(({ length }) => length)) - 1;
  let end = Buffer.alloc(0);
  for await (const piece of Readable.from([packed]).pipe(createGunzip({ chunkSize: PIECE }))) {
    const bytes = Buffer.concat([end, piece]);
    if (hasAny(bytes, sought)) return true;
    end = bytes.subarray(Math.max(0, bytes.length - overlap));
  }
  return false;
}
