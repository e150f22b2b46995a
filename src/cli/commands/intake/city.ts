import type { Command } from "@commander-js/extra-typings";
import type { GazetteerCity } from "../../../contract/cities/city.ts";
import { readCellsFile } from "../../../intake/places/cells-file.ts";
import { outlineCells, radiusCells } from "../../../intake/places/city-outline.ts";
import { loadGazetteer } from "../../../intake/places/gazetteer.ts";
import { registerCity, replaceCells } from "../../../intake/places/register-city.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import type { CityStep } from "../../../ledger/decisions/city-state.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { openCurrentWriter } from "../../../operations/take-in.ts";
import { moveCity } from "../../../review/city-life.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

const STEPS: readonly (readonly [CityStep, string])[] = [
  ["review", "record that the manifest of eligible cells was reviewed"],
  ["publish", "include the city in releases"],
  ["unpublish", "exclude the city and its records from releases"],
  ["pause", "mark collection as paused"],
  ["resume", "mark collection as active"],
  ["launch", "end the preview"],
];

export function define(city: Command, context: CommandContext): void {
  city
    .command("add")
    .description("register a city; observations belong to it when they lie in its map cells")
    .requiredOption("--geoname <id>", "GeoNames id (find it with `presence gazetteer search`)")
    .option("--boundary <file>", "outline as GeoJSON")
    .option("--radius-km <km>", "instead of an outline: radius around the center, in kilometers")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ geoname, boundary, radiusKm, clock, json }) => {
      const gazetteerCity = findCity(context, geoname);
      const { cells, skipped } = areaOf(gazetteerCity, boundary, radiusKm);
      using ledger = await openCurrentWriter(context, clock);
      const { slug, row, cells: own, taken } = registerCity(ledger, gazetteerCity, cells);
      printResult(context, json, {
        city: slug,
        row,
        cells: own,
        cells_of_others: taken,
        ...(skipped.length > 0 && { skipped }),
      });
    });

  city
    .command("cells <slug>")
    .description(
      "replace a city's eligible cells, the denominator of its coverage; review it again afterwards",
    )
    .requiredOption("--from <file>", "GeoJSON or CSV of cells, with or without weights")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async (slug, { from, clock, json }) => {
      const weights = readCellsFile(readNamedFile(from, "--from"), from);
      using ledger = await openCurrentWriter(context, clock);
      const { row, cells } = replaceCells(ledger, slug, weights);
      printResult(context, json, { city: slug, row, cells, denominator: "unreviewed" });
    });

  for (const [step, description] of STEPS) {
    city
      .command(`${step} <slug>`)
      .description(description)
      .option(...CLOCK_OPTION)
      .option(...JSON_OPTION)
      .action(async (slug, { clock, json }) => {
        using ledger = await openCurrentWriter(context, clock);
        printResult(context, json, { city: slug, step, row: moveCity(ledger, slug, step) });
      });
  }
}

function findCity(context: CommandContext, geoname: string): GazetteerCity {
  const id = Number(geoname);
  const city = loadGazetteer(homeOf(context).gazetteer).find(({ geonameId }) => geonameId === id);
  if (city !== undefined) return city;
  throw new OperatorError(
    `--geoname ${geoname}: no such city in the gazetteer. Find its id with \`presence gazetteer search NAME\`, or import a newer GeoNames dump with \`presence gazetteer import\``,
  );
}

interface Area {
  readonly cells: string[];
  readonly skipped: string[]; // parts of the outline
}

function areaOf(city: GazetteerCity, boundary: string | undefined, radiusKm: string | undefined): Area {
  if (boundary !== undefined && radiusKm === undefined)
    return outlineCells(readNamedFile(boundary, "--boundary"), boundary, city);
  if (boundary !== undefined || radiusKm === undefined)
    throw new OperatorError("give either --boundary with an outline or --radius-km with a distance");
  const km = Number(radiusKm);
  if (Number.isNaN(km))
    throw new OperatorError(`--radius-km must be a number of kilometers, such as 12.5 (got ${radiusKm})`);
  return { cells: radiusCells(city.lat, city.lng, km), skipped: [] };
}
