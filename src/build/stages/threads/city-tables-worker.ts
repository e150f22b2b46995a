import { CityTables } from "../../../contract/service/city-tables.ts";
import type { CityRow } from "../../../snapshot/rows.ts";
import { type ShareWriter, shareModule } from "../../share-writer.ts";
import { cityTablePaths, cityTablesIndexPath, makeCityTables } from "../city-tables.ts";

/** Writes the tables of a share of the cities. */
export const run = shareModule((writer) => {
  for (const [at, city] of writer.context.snapshot.cities().entries())
    if (writer.isOwn(at)) {
      writeTables(writer, city);
      writer.report();
    }
});

function writeTables({ context, effects, isTouched, write }: ShareWriter, city: CityRow): void {
  const path = cityTablesIndexPath(city);
  const text = effects.earlierText(path);
  const earlier = text === undefined ? undefined : CityTables.parse(JSON.parse(text));
  if (earlier && !isTouched({ city: city.slug }) && effects.keepAll(cityTablePaths(city, earlier))) return;
  const index = makeCityTables(context.snapshot, city, {
    open: (file) => effects.open(file),
    earlier,
    keepAll: (paths) => effects.keepAll(paths),
  });
  write(path, index);
}
