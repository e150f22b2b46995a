import { createReadStream } from "node:fs";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { ignoredText, newReadState, readLines } from "../../intake/lines/read-lines.ts";
import { outlineCells, radiusCells } from "../../intake/places/city-outline.ts";
import {
  loadGazetteer,
  parseGeoNamesDump,
  parseRegionNames,
  writeGazetteerFile,
} from "../../intake/places/gazetteer.ts";
import {
  planOutline,
  readCellsFile,
  registerCity,
  replaceCells,
  requiredArea,
} from "../../intake/places/register-city.ts";
import { type CityFound, searchCities } from "../../intake/places/search-cities.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { assertFilesExist, readNamedFile } from "../../kernel/files/foreign-file.ts";
import { isoDate } from "../../kernel/time.ts";
import { type CityStep, LedgerState } from "../../ledger/decisions/ledger-state.ts";
import { type CommandContext, homeOf } from "../../operations/context.ts";
import { moveCity } from "../../review/desk.ts";
import { type Bare, command, nothing } from "../command.ts";
import { list, Output, Preview } from "../output.ts";

const MAX_LISTED = 20;

const searchGazetteer = command({
  path: "gazetteer search",
  does: "find a city's GeoNames id by part of its name in any language, most populous first",
  takes: (bare: Bare) => bare.argument("<name>").option("--country <code>", "ISO 3166 code, such as CA"),
  access: "none",
  run({ context, json }, { country }, name) {
    const found = searchCities(loadGazetteer(homeOf(context).gazetteer), name, country);
    if (found.length === 0 && !json) throw new OperatorError(`no city in the gazetteer matches “${name}”`);
    const listed = found.slice(0, MAX_LISTED);
    const total =
      found.length > listed.length
        ? [
            `${listed.length} of ${found.length.toLocaleString("en-US")} cities: give more of the name, or use --country`,
          ]
        : [];
    return new Output({
      json: listed.map(({ city, alias }) => ({ ...city, alias })),
      text: listed.map(cityLine),
      notes: total,
    });
  },
});

const listCities = command({
  path: "city list",
  does: "list the registered cities with their state and the row and day of their registration",
  takes: nothing,
  access: "read",
  run({ ledger }) {
    const cities = [...LedgerState.of(ledger.deskRows.rows()).cities.values()].map((city) => ({
      ...{ city: city.slug, name: city.details.name, row: city.id },
      registered: isoDate(city.registeredAt),
      publication: city.publicationStatus,
      collection: city.collectionStatus,
      launched: city.launched,
      cells_reviewed: city.denominatorReviewed,
    }));
    return list(
      cities,
      ({ city, name, row, registered, publication, collection, launched, cells_reviewed }) =>
        `${city}  ${name}  row ${row}, ${registered}  ${publication}  ${collection}  ${launched ? "launched" : "not launched"}  cells ${cells_reviewed ? "reviewed" : "not reviewed"}`,
      { of: "city" },
    );
  },
});

const addCity = command({
  path: "city add",
  does: "register a city; observations belong to it when they lie in its map cells",
  takes: (bare: Bare) =>
    bare
      .requiredOption("--geoname <id>", "GeoNames id (find it with `presence gazetteer search`)")
      .option("--boundary <file>", "outline as GeoJSON")
      .option("--radius-km <km>", "instead of an outline: radius around the center, in kilometers")
      .option(
        "--gazetteer <file>",
        "GeoNames dump (cities15000.txt, plain or .gz) that replaces the catalog first",
      )
      .option("--regions <file>", "with --gazetteer: admin1CodesASCII.txt, for the names of regions"),
  access: "append",
  clock: "writes rows",
  async prepare(context, { geoname, boundary, radiusKm, gazetteer, regions }) {
    if (gazetteer !== undefined) await replaceGazetteer(context, gazetteer, regions);
    const city = findCity(context, geoname);
    const { cells, skipped } = areaOf(city, boundary, radiusKm);
    return ({ ledger }) => {
      const { slug, row, cells: own, taken } = registerCity(ledger, city, cells);
      return {
        city: slug,
        row,
        cells: own,
        cells_of_others: taken,
        ...(skipped.length > 0 && { skipped }),
      };
    };
  },
});

const replaceCityOutline = command({
  path: "city outline",
  does: "replace a city's outline for later lines; existing rows keep their city",
  takes: (bare: Bare) =>
    bare
      .argument("<slug>")
      .option("--boundary <file>", "outline as GeoJSON")
      .option("--radius-km <km>", "instead of an outline: radius around the center, in kilometers"),
  access: "append",
  clock: "writes rows",
  confirm: "replace it; without it, only preview it and print the code",
  run({ ledger }, { boundary, radiusKm }, slug) {
    const { cells, skipped } = areaOf(requiredArea(ledger, slug), boundary, radiusKm);
    const { make, code, outside, taken, ...counts } = planOutline(ledger, slug, cells);
    return new Preview({
      fields: {
        ...{ city: slug, ...counts, cells_of_others: taken, observations_outside: outside },
        ...(skipped.length > 0 && { skipped }),
      },
      notes: [
        "all cells of the outline become eligible: set your own list again, and review it",
        ...(outside > 0
          ? ["observations outside stay with the city; `presence batch undo` takes them back"]
          : []),
      ],
      code,
      next: "To do this, run the command again with",
      confirmed: () => ({ city: slug, row: make(), cells: counts.cells, denominator: "unreviewed" }),
    });
  },
});

const replaceCityCells = command({
  path: "city cells",
  does: "replace a city's eligible cells, the denominator of its coverage; review it again afterwards",
  takes: (bare: Bare) =>
    bare
      .argument("<slug>")
      .requiredOption("--from <file>", "GeoJSON or CSV of cells, with or without weights"),
  access: "append",
  clock: "writes rows",
  prepare(_, { from }, slug) {
    const weights = readCellsFile(readNamedFile(from, "--from"), from);
    return ({ ledger }) => {
      const { row, cells } = replaceCells(ledger, slug, weights);
      return { city: slug, row, cells, denominator: "unreviewed" };
    };
  },
});

const STEPS: readonly (readonly [CityStep, string])[] = [
  ["review", "record that the manifest of eligible cells was reviewed"],
  ["publish", "include the city in releases"],
  ["unpublish", "exclude the city and its records from releases"],
  ["pause", "mark collection as paused"],
  ["resume", "mark collection as active"],
  ["launch", "end the preview"],
];

const steps = STEPS.map(([step, does]) =>
  command({
    path: `city ${step}`,
    does,
    takes: (bare: Bare) => bare.argument("<slug>"),
    access: "append",
    clock: "writes rows",
    run: ({ ledger }, _, slug) => ({ city: slug, step, row: moveCity(ledger, slug, step) }),
  }),
);

export const commands = [
  searchGazetteer,
  listCities,
  addCity,
  replaceCityOutline,
  replaceCityCells,
  ...steps,
];

function findCity(context: CommandContext, geoname: string): GazetteerCity {
  const id = Number(geoname);
  const city = loadGazetteer(homeOf(context).gazetteer).find(({ geonameId }) => geonameId === id);
  if (city !== undefined) return city;
  throw new OperatorError(
    `--geoname ${geoname}: the gazetteer has no such city. Find its id with \`presence gazetteer search NAME\`, or name a newer GeoNames dump with --gazetteer`,
  );
}

interface Area {
  readonly cells: string[];
  readonly skipped: string[]; // parts of the outline
}

function areaOf(
  city: Pick<GazetteerCity, "name" | "lat" | "lng">,
  boundary: string | undefined,
  radiusKm: string | undefined,
): Area {
  if (boundary !== undefined && radiusKm === undefined)
    return outlineCells(readNamedFile(boundary, "--boundary"), boundary, city);
  if (boundary !== undefined || radiusKm === undefined)
    throw new OperatorError("give either --boundary or --radius-km");
  const km = Number(radiusKm);
  if (Number.isNaN(km))
    throw new OperatorError(`--radius-km must be a number of kilometers, such as 12.5 (got ${radiusKm})`);
  return { cells: radiusCells(city.lat, city.lng, km), skipped: [] };
}

async function replaceGazetteer(
  context: CommandContext,
  file: string,
  regionsFile: string | undefined,
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
  warn(`${path}: ${cities.toLocaleString("en-US")} cities; ${badLines} bad lines`);
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
function cityLine({ city, alias }: CityFound): string {
  const { geonameId, name, region, countryName, population } = city;
  const called = alias === null ? name : `${name} (${alias})`;
  const place = [called, region, countryName].filter((part) => part !== "").join(", ");
  return `${String(geonameId).padEnd(9)} ${place} (${population.toLocaleString("en-US")})`;
}
