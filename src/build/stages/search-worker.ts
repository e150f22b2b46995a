import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { z } from "zod";
import { type SearchMessage, SearchTask } from "./search-erased.ts";

/** A thread that searches its share of a release's files. */
const { site, paths, needles } = SearchTask.parse(workerData);
const sought = needles.map((needle) => Buffer.from(needle));
const found = paths.filter((path) => {
  const bytes = readFileSync(join(site, path));
  return sought.some((needle) => bytes.includes(needle));
});
const message: z.infer<typeof SearchMessage> = { found };
parentPort?.postMessage(message);
