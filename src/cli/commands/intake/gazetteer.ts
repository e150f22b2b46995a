import { createReadStream, existsSync } from "node:fs";
import type { Command } from "commander";
import { type ReadState, readLines } from "../../../intake/lines/read-lines.ts";
import { loadGazetteer, writeGazetteerFile } from "../../../intake/places/gazetteer.ts";
import { parseGeoNamesDump, parseRegionNames } from "../../../intake/places/geonames-dump.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";

interface ImportOptions {
  readonly regions?: string;
  readonly json?: boolean;
}

const SHOWN = 20;

export function defineGazetteer(gazetteer: Command, context: CommandContext): void {
  gazetteer
    .command("import <file>")
    .description("replace the catalogue by GeoNames' own dump (cities15000.txt, plain or .gz)")
    .option("--regions <file>", "GeoNames' admin1CodesASCII.txt, for the names of regions")
    .option("--json", "print the result as JSON")
    .action((file: string, options: ImportOptions) => importDump(context, file, options));

  gazetteer
    .command("search <name>")
    .description("find a city's GeoNames id by a part of its name")
    .option("--country <code>", "ISO 3166 code, such as CA")
    .option("--json", "print the cities as JSON")
    .action((name: string, options: { country?: string; json?: boolean }) =>
      searchCities(context, name, options),
    );
}

async function importDump(context: CommandContext, file: string, options: ImportOptions): Promise<void> {
  let badLines = 0;
  const remark = (line: number, reason: string) => {
    badLines += 1;
    if (badLines <= SHOWN) context.stderr.write(`${file}: line ${line}: ${reason}\n`);
  };
  const regions =
    options.regions === undefined ? new Map() : await parseRegionNames(linesOf(options.regions), remark);
  const path = homeOf(context).gazetteer;
  const cities = await writeGazetteerFile(path, parseGeoNamesDump(linesOf(file), regions, remark));
  printResult(context, options.json, { gazetteer: path, cities, bad_lines: badLines });
}

async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) throw new OperatorError(`${path}: there is no such file`);
  const state: ReadState = { bytesRead: 0, damage: undefined };
  // A line that cannot be read at all is passed on empty of columns, and is then a bad line like others.
  for await (const lines of readLines(createReadStream(path), state))
    for (const line of lines) yield "text" in line ? line.text : line.fault.message;
  if (state.damage !== undefined)
    throw new OperatorError(`${path}: the file is cut off or damaged (${state.damage}): get it whole`);
}

function searchCities(
  context: CommandContext,
  name: string,
  options: { country?: string; json?: boolean },
): void {
  const needle = name.toLocaleLowerCase("en");
  const found = loadGazetteer(homeOf(context).gazetteer)
    .filter((city) => options.country === undefined || city.countryCode === options.country.toUpperCase())
    .filter((city) =>
      [city.name, city.asciiName].some((text) => text.toLocaleLowerCase("en").includes(needle)),
    )
    .sort((a, b) => b.population - a.population)
    .slice(0, SHOWN);
  if (options.json === true) {
    context.stdout.write(`${JSON.stringify(found)}\n`);
    return;
  }
  if (found.length === 0) throw new OperatorError(`no city of the gazetteer has “${name}” in its name`);
  for (const city of found) {
    const place = [city.name, city.region, city.countryName].filter((part) => part !== "").join(", ");
    context.stdout.write(
      `${String(city.geonameId).padEnd(9)} ${place} (${city.population.toLocaleString("en-US")})\n`,
    );
  }
}
