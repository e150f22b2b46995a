import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { GazetteerCity } from "../../contract/cities/gazetteer.ts";
import type { Industry } from "../../contract/cities/industry.ts";
import { foldName } from "../search/fold-name.ts";
import { inserter, type SqlValue } from "./inserter.ts";

export interface SnapshotReference {
  readonly gazetteer: Iterable<GazetteerCity>;
  readonly industries: readonly Industry[];
}

/** Writes the taxonomy in its own order and the catalogue by population. Returns the SHA-256 (hex) of what was written. */
export function writeReference(db: Database, { gazetteer, industries }: SnapshotReference): string {
  const hash = createHash("sha256");
  const add = (insert: (values: readonly SqlValue[]) => void, values: SqlValue[]) => {
    insert(values);
    hash.update(`${JSON.stringify(values)}\n`);
  };
  const insertIndustry = inserter(db, "industries");
  for (const [index, { code, title, level, sectionCode, sectionTitle }] of industries.entries())
    add(insertIndustry, [index + 1, code, title, level, sectionCode, sectionTitle, foldName(title)]);
  const insertCity = inserter(db, "gazetteer");
  for (const [index, city] of [...gazetteer].sort(byPopulation).entries())
    add(insertCity, [index + 1, ...cityValues(city)]);
  return hash.digest("hex");
}

function byPopulation(a: GazetteerCity, b: GazetteerCity): number {
  return b.population - a.population || a.geonameId - b.geonameId;
}

function cityValues(city: GazetteerCity): SqlValue[] {
  const folded = new Set([foldName(city.name), foldName(city.asciiName)]);
  return [
    city.geonameId,
    city.name,
    city.asciiName,
    city.region,
    city.regionCode,
    city.countryCode,
    city.countryName,
    city.population,
    city.lat,
    city.lng,
    [...folded].join("\n"), // a needle has no line break, so it never matches across the two
  ];
}
