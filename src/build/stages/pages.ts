import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import { compiledPages } from "../compiled-pages.ts";
import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

export interface PagesTask extends WriteTask {
  readonly project: string; // folder of astro.config.mjs
  readonly compiled: string; // folder that keeps compiled pages for builds and servers
  readonly scratch: string; // folder to compile in; removed at the end
}

/** Less than V8's own choice for a thread; with a third of it, more objects of a page would outlive their page. */
const YOUNG_SPACE = { resourceLimits: { maxYoungGenerationSizeMb: 48 } };
/** Each thread loads all pages, so few records are not worth many threads. */
const RECORDS_A_WORKER = 200;

/** Writes every page, and the files that all pages share. */
export async function writePages(
  { project, compiled, scratch, ...task }: PagesTask,
  records: number,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const { shared, ...pages } = await compiledPages(project, compiled, scratch);
  for (const file of filesBelow(shared)) effects.write(relative(shared, file), readFileSync(file));
  const worth = Math.ceil((records + 1) / RECORDS_A_WORKER);
  const threads = {
    module: new URL("./threads/page-worker.ts", import.meta.url),
    worth,
    options: YOUNG_SPACE,
  };
  await writeInShares(threads, { ...task, ...pages }, effects, onProgress);
}
