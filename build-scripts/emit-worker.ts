import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { routes } from "../src/render/routes.ts";
import { contextAt } from "../src/resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import type { EmitMessage } from "./stages/emit.ts";

/** A thread of the emitter: writes every `share`-th instance, starting at `turn`, and reports in chunks. */
const Task = z.object({
  snapshot: z.string(),
  site: z.string(),
  earlierSite: z.string().optional(),
  turn: z.int(),
  share: z.int(),
});

const CHUNK = 500;

function emitShare(task: z.infer<typeof Task>, send: (message: EmitMessage) => void): void {
  const context = contextAt(task.snapshot);
  const effects = new BuildEffects(task.site, readEarlierSite(task.earlierSite));
  let turn = 0;
  for (const route of routes) {
    for (const values of route.enumerate(context.snapshot)) {
      if (turn++ % task.share !== task.turn) continue;
      effects.write(route.filePath(values), route.answer(context, values, {}));
      if (effects.hashes.size >= CHUNK) send(effects.drain());
    }
  }
  send(effects.drain());
  context.close();
}

emitShare(Task.parse(workerData), (message) => parentPort?.postMessage(message));
