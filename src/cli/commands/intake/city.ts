import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { GazetteerCity } from "../../../contract/cities/gazetteer.ts";
import { outlineCells, radiusCells } from "../../../intake/places/city-outline.ts";
import { loadGazetteer } from "../../../intake/places/gazetteer.ts";
import { type CityStep, registerCity } from "../../../intake/places/register-city.ts";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, openWriter, printResult } from "../../../operations/context.ts";
import { moveCity } from "../../../review/city-life.ts";

interface AddOptions {
  readonly geoname: string;
  readonly boundary?: string;
  readonly radiusKm?: string;
  readonly clock?: string;
  readonly json?: boolean;
}

const STEPS: readonly (readonly [CityStep, string])[] = [
  ["review", "record that the manifest of eligible cells was reviewed"],
  ["publish", "show the city in releases"],
  ["unpublish", "leave the city and its records out of releases"],
  ["pause", "say that collection is paused"],
  ["resume", "say that collection goes on"],
  ["launch", "end the preview"],
];

export function defineCity(city: Command, context: CommandContext): void {
  city
    .command("add")
    .description("register a city: observations count where its map cells are")
    .requiredOption("--geoname <id>", "GeoNames id (find it with `presence gazetteer search`)")
    .option("--boundary <file>", "outline as GeoJSON")
    .option("--radius-km <km>", "in place of an outline: everything within so many km of the centre")
    .option("--clock <time>", "time of acceptance; not for production ledgers")
    .option("--json", "print the result as JSON")
    .action((options: AddOptions) => addCity(context, options));

  for (const [step, description] of STEPS) {
    city
      .command(`${step} <slug>`)
      .description(description)
      .option("--clock <time>", "time of acceptance; not for production ledgers")
      .option("--json", "print the result as JSON")
      .action((slug: string, options: { clock?: string; json?: boolean }) => {
        using ledger = openWriter(context, options.clock);
        printResult(context, options.json, { city: slug, step, row: moveCity(ledger, slug, step) });
      });
  }
}

function addCity(context: CommandContext, options: AddOptions): void {
  const city = findCity(context, options.geoname);
  const cells = cellsOf(city, options);
  using ledger = openWriter(context, options.clock);
  const added = registerCity(ledger, city, cells);
  printResult(context, options.json, {
    city: added.slug,
    row: added.row,
    cells: added.cells,
    cells_of_others: added.taken,
  });
}

function findCity(context: CommandContext, geoname: string): GazetteerCity {
  const id = Number(geoname);
  const city = loadGazetteer(homeOf(context).gazetteer).find(({ geonameId }) => geonameId === id);
  if (city !== undefined) return city;
  throw new OperatorError(
    `--geoname ${geoname}: not in the gazetteer. Look it up with \`presence gazetteer search NAME\`, or import a newer GeoNames dump with \`presence gazetteer import\``,
  );
}

function cellsOf(city: GazetteerCity, { boundary, radiusKm }: AddOptions): string[] {
  if ((boundary === undefined) === (radiusKm === undefined)) {
    throw new OperatorError("give either --boundary with an outline or --radius-km with a distance");
  }
  if (boundary === undefined) return radiusCells(city.lat, city.lng, kilometres(radiusKm ?? ""));
  try {
    return outlineCells(readFileSync(boundary, "utf8"), boundary);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    throw new OperatorError(`--boundary ${boundary}: there is no such file`, { cause: error });
  }
}

function kilometres(text: string): number {
  const km = Number(text);
  if (Number.isNaN(km))
    throw new OperatorError(`--radius-km ${text}: give a number of kilometres, such as 12.5`);
  return km;
}
