import { workerData } from "node:worker_threads";
import { z } from "zod";
import type { Page, pages } from "../../page-renderer.ts";
import { writeShare } from "../share-writer.ts";

/** What a thread of the pages is given beside its share. */
const PageTask = z.object({ renderer: z.string() });

const CHUNK = 100; // pages

interface Renderer {
  readonly pages: typeof pages;
}

async function rendered({ path, render }: Page): Promise<string> {
  try {
    return await render();
  } catch (error) {
    throw new Error(`page ${path}: ${String(error)}`, { cause: error });
  }
}

/** A thread that renders pages; they find their release in its environment. */
await writeShare(async ({ effects, isOwn, report }) => {
  const { renderer } = PageTask.parse(workerData);
  const program: Renderer = await import(renderer);
  const own = (await program.pages()).filter((_, at) => isOwn(at));
  for (const page of own) {
    effects.write(page.path, await rendered(page));
    if (effects.hashes.size >= CHUNK) report();
  }
});
