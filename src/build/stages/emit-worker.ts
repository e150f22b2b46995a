import { routes } from "../../routes/routes.ts";
import { writeShare } from "../share-writer.ts";

const CHUNK = 500; // files

/** A thread of the emitter. */
await writeShare(({ context, effects, isOwn, keep, write, report }) => {
  let at = 0;
  for (const route of routes) {
    for (const values of route.enumerate(context.snapshot)) {
      if (!isOwn(at++)) continue;
      const path = route.filePath(values);
      if (!keep(values, path)) write(values, path, route.answer(context, values, {}));
      if (effects.hashes.size >= CHUNK) report();
    }
  }
});
