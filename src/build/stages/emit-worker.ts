import { routes } from "../../routes/routes.ts";
import { writeShare } from "../share-writer.ts";

const CHUNK = 500; // files

/** A thread of the emitter. */
await writeShare(({ context, effects, isOwn, report }) => {
  let at = 0;
  for (const route of routes) {
    for (const values of route.enumerate(context.snapshot)) {
      if (!isOwn(at++)) continue;
      effects.write(route.filePath(values), route.answer(context, values, {}));
      if (effects.hashes.size >= CHUNK) report();
    }
  }
});
