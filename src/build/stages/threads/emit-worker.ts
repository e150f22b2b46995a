import { inTurn } from "../../../kernel/concurrency.ts";
import type { PathValues } from "../../../resources/define.ts";
import { type Route, routes } from "../../../site/routes/routes.ts";
import { type ShareWriter, shareModule } from "../../share-writer.ts";

const CHUNK = 500; // files

/** Writes a share of the documents. */
export const run = shareModule((writer) => {
  // In turn: the documents of one record follow each other, and read the same rows.
  const documents = routes
    .filter(({ path }) => writer.areFiles(path))
    .map((route) => instances(writer, route));
  for (const [round, { route, values }] of inTurn(documents))
    if (writer.isOwn(round)) emit(writer, route, values);
});

function* instances({ context }: ShareWriter, route: Route): Generator<{ route: Route; values: PathValues }> {
  for (const values of route.enumerate(context.snapshot)) yield { route, values };
}

function emit(
  { context, effects, keep, write, report }: ShareWriter,
  route: Route,
  values: PathValues,
): void {
  const path = route.filePath(values);
  if (!keep(values, path)) write(path, route.answer(context, values, {}));
  if (effects.hashes.size >= CHUNK) report();
}
