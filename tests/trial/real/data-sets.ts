import { existsSync } from "node:fs";
import { join } from "node:path";

/** A public record of visits to real places, stored outside the project. */
export interface DataSet {
  readonly name: string;
  readonly file: string;
  readonly map: string; // column map in this folder
  readonly geonameId: number;
  readonly outline: string;
  readonly lastDay: string; // of anything in the file that was observed
}

/**
 * Inspections are visits by people, hence `scout`; a list of permits that nobody went out to see is a `seed_survey`. Where no
 * observer is given there is one constant observer, so that such places never reach three independent ones.
 */
export const DATA_SETS: readonly DataSet[] = [
  {
    name: "Toronto",
    file: "toronto_dinesafe_2001-2012_2020-2021.csv.gz",
    map: "toronto.map.json",
    geonameId: 6_167_865,
    outline: "toronto.geojson",
    lastDay: "2021-12-31",
  },
  {
    name: "Chicago",
    file: "chicago_food_inspections_2011-2014.csv.gz",
    map: "chicago.map.json",
    geonameId: 4_887_398,
    outline: "chicago.geojson",
    lastDay: "2014-12-30",
  },
  {
    name: "San Francisco",
    file: "sanfrancisco_lives_2012-2015.csv.gz",
    map: "san-francisco.map.json",
    geonameId: 5_391_959,
    outline: "san-francisco.geojson",
    lastDay: "2015-12-30",
  },
  {
    name: "San Francisco trucks",
    file: "sanfrancisco_mobile_food_permits_2024.csv.gz",
    map: "san-francisco-trucks.map.json",
    geonameId: 5_391_959,
    outline: "san-francisco.geojson",
    lastDay: "2022-04-20",
  },
];

/** The last day of all the data: the clock of the release. */
export const LAST_DAY =
  DATA_SETS.map(({ lastDay }) => lastDay)
    .toSorted()
    .at(-1) ?? "";

export interface DataFolders {
  readonly observations: string;
  readonly boundaries: string;
}

export function dataFolders(project: string): DataFolders {
  const shared = join(project, "..", "shared");
  return { observations: join(shared, "observations"), boundaries: join(shared, "boundaries") };
}

/** The files that are not there; nothing can be tried while there are any. */
export function missingFiles({ observations, boundaries }: DataFolders): string[] {
  const needed = DATA_SETS.flatMap(({ file, outline }) => [
    join(observations, file),
    join(boundaries, outline),
  ]);
  return [...new Set(needed)].filter((path) => !existsSync(path));
}
