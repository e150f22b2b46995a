import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { type SearchMessage, SearchTask } from "../search-erased.ts";
import type { TaskModule } from "../tasks.ts";

/** Searches a share of a release's files. */
export const run: TaskModule["run"] = (raw, send) => {
  const { site, paths, needles } = SearchTask.parse(raw);
  const sought = needles.map((needle) => Buffer.from(needle));
  const found = paths.filter((path) => {
    const bytes = readFileSync(join(site, path));
    return sought.some((needle) => bytes.includes(needle));
  });
  const message: z.infer<typeof SearchMessage> = { found };
  send(message);
};
