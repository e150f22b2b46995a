import { createReadStream } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import type { GazetteerCity } from "../../../contract/cities/city.ts";
import { ignoredText, newReadState, readLines } from "../../../intake/lines/read-lines.ts";
import { loadGazetteer, writeGazetteerFile } from "../../../intake/places/gazetteer.ts";
import { parseGeoNamesDump, parseRegionNames } from "../../../intake/places/geonames-dump.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { assertFilesExist } from "../../../kernel/files/named-file.ts";
import {
  type CommandContext,
  homeOf,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

const MAX_LISTED = 20;

export function define(gazetteer: Command, context: CommandContext): void {
  gazetteer
    .command("import <file>")
    .description("replace the catalog with a GeoNames dump (cities15000.txt, plain or .gz)")
    .option("--regions <file>", "GeoNames' admin1CodesASCII.txt, for the names of regions")
    .option(...JSON_OPTION)
    .action((file, { regions, json }) => importDump(context, file, regions, json));

  gazetteer
    .command("search <name>")
    .description("find a city's GeoNames id by a part of its name")
    .option("--country <code>", "ISO 3166 code, such as CA")
    .option(...JSON_OPTION)
    .action((name, { country, json }) => {
      const cities = findCities(loadGazetteer(homeOf(context).gazetteer), name, country);
      if (json) printJson(context, cities);
      else if (cities.length > 0) printLines(context, cities.map(cityLine));
      else throw new OperatorError(`no city of the gazetteer has “${name}” in its name`);
    });
}

async function importDump(
  context: CommandContext,
  file: string,
  regionsFile: string | undefined,
  json: boolean | undefined,
): Promise<void> {
  let badLines = 0;
  const report = (line: number, reason: string) => {
    badLines += 1;
    if (badLines <= MAX_LISTED) context.stderr.write(`${file}: line ${line}: ${reason}\n`);
  };
  const warn = (text: string) => context.stderr.write(`${text}\n`);
  const regions =
    regionsFile === undefined ? new Map() : await parseRegionNames(linesOf(regionsFile, warn), report);
  const path = homeOf(context).gazetteer;
  const cities = await writeGazetteerFile(path, parseGeoNamesDump(linesOf(file, warn), regions, report));
  printResult(context, json, { gazetteer: path, cities, bad_lines: badLines });
}

async function* linesOf(path: string, warn: (text: string) => void): AsyncGenerator<string> {
  assertFilesExist([path]);
  const state = newReadState();
  // The message of an unreadable line has no columns, so the parser counts it as a bad line.
  for await (const lines of readLines(createReadStream(path), state))
    for (const line of lines) yield "text" in line ? line.text : line.fault.message;
  if (state.damage !== undefined)
    throw new OperatorError(
      `${path}: the file is truncated or damaged (${state.damage}): use a complete copy`,
    );
  if (state.ignoredBytes > 0) warn(`${path}: ${ignoredText(state)}`);
}

/** The largest cities whose name contains the text. */
function findCities(
  all: readonly GazetteerCity[],
  name: string,
  country: string | undefined,
): readonly GazetteerCity[] {
  const needle = name.toLocaleLowerCase("en");
  const matches = (text: string) => text.toLocaleLowerCase("en").includes(needle);
  return all
    .filter((city) => country === undefined || city.countryCode === country.toUpperCase())
    .filter((city) => matches(city.name) || matches(city.asciiName))
    .sort((a, b) => b.population - a.population)
    .slice(0, MAX_LISTED);
}

function cityLine({ geonameId, name, region, countryName, population }: GazetteerCity): string {
  const place = [name, region, countryName].filter((part) => part !== "").join(", ");
  return `${String(geonameId).padEnd(9)} ${place} (${population.toLocaleString("en-US")})`;
}
