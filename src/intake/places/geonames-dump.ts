/** GeoNames' own dump formats (https://download.geonames.org/export/dump/readme.txt): tab-separated, no header, no quoting. */
import { GazetteerCity } from "../../contract/cities/city.ts";
import { countryName } from "./gazetteer.ts";

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
