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
  const placeOf = placesOfMaps();
  for (const [round, { route, values }] of inTurn(documents))
    if (writer.isOwn(placeOf(values) ?? round)) emit(writer, route, values);
});

/** Numbers the cities whose maps have parts. One thread makes all parts of a city, which rest on all of its observations: they are read once. */
function placesOfMaps(): (values: PathValues) => number | undefined {
  const places = new Map<string, number>();
  return ({ city, area }) => {
    if (city === undefined || area === undefined) return undefined;
    const place = places.get(city) ?? places.size;
    places.set(city, place);
    return place;
  };
}

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
