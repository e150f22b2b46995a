/** A thread that renders its share of the pages and keeps none: what rendering takes by itself. */

import { workerData } from "node:worker_threads";
import { z } from "zod";
import type { pages } from "../../src/page-renderer.ts";

const { renderer, turn, share } = z
  .object({ renderer: z.string(), turn: z.int(), share: z.int() })
  .parse(workerData);
const program: { readonly pages: typeof pages } = await import(renderer);
for (const [at, page] of (await program.pages()).entries()) if (at % share === turn) await page.render();
