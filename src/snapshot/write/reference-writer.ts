import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import type { Industry } from "../../contract/cities/industry.ts";
import { inserter, type SqlValue } from "../../kernel/table.ts";
import { foldName } from "../search/fold-name.ts";
import { gazetteer, industries } from "../tables/reference.ts";

export interface SnapshotReference {
  readonly gazetteer: Iterable<GazetteerCity>;
  readonly industries: readonly Industry[];
}

/** Writes the taxonomy in its own order and the catalog by population. Returns the SHA-256 (hex) of what was written. */
export function writeReference(db: Database, reference: SnapshotReference): string {
  const hash = createHash("sha256");
  const add = (values: readonly SqlValue[]) => hash.update(`${JSON.stringify(values)}\n`);
  const insertIndustry = inserter(db, industries);
  for (const [index, industry] of reference.industries.entries())
    add(insertIndustry({ seq: index + 1, ...industry, folded: foldName(industry.title) }));
  const insertCity = inserter(db, gazetteer);
  for (const [index, city] of [...reference.gazetteer].sort(byPopulation).entries())
    add(insertCity({ seq: index + 1, ...city, folded: foldedNames(city) }));
  return hash.digest("hex");
}

function byPopulation(a: GazetteerCity, b: GazetteerCity): number {
  return b.population - a.population || a.geonameId - b.geonameId;
}

/** A needle has no line break, so it never matches across the two. */
function foldedNames({ name, asciiName }: GazetteerCity): string {
  return [...new Set([foldName(name), foldName(asciiName)])].join("\n");
}
