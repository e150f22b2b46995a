import type { Database } from "better-sqlite3";
import type { IndustryLevel } from "../../contract/enums.ts";
import { selection } from "../../kernel/table.ts";
import { foldName } from "../search/fold-name.ts";
import { gazetteer, industries } from "../tables/reference.ts";

const INDUSTRY = selection(industries.columns, "seq", "folded");
const CATALOG_CITY = selection(gazetteer.columns, "seq", "folded");

interface IndustryOptions {
  readonly query?: string | undefined; // anywhere in the title, or the beginning of the code
  readonly section?: string | undefined; // a letter
  readonly level?: IndustryLevel | undefined;
  readonly limit: number;
}

interface GazetteerOptions {
  readonly query?: string | undefined; // anywhere in the name, whatever its case and accents
  readonly country?: string | undefined; // ISO 3166-1 alpha-2
  readonly limit: number;
}

export function referenceQueries(db: Database) {
  const entries = INDUSTRY.prepare<[object]>(
    db,
    `FROM industries
     WHERE (:query IS NULL OR instr(folded, :query) OR (code >= :code AND code < :code || ':'))
       AND (:section IS NULL OR section_code = :section) AND (:level IS NULL OR level = :level)
     ORDER BY seq LIMIT :limit`,
  );
  const catalog = CATALOG_CITY.prepare<[object]>(
    db,
    `FROM gazetteer
     WHERE (:query IS NULL OR instr(folded, :query)) AND (:country IS NULL OR country_code = :country)
     ORDER BY seq LIMIT :limit`,
  );
  const foldedOrNull = (query: string | undefined) => (query === undefined ? null : foldName(query));
  return {
    /** Entries of the taxonomy in its own order. */
    industries: ({ query, section, level, limit }: IndustryOptions) =>
      entries.all({
        query: foldedOrNull(query),
        code: query?.toUpperCase() ?? null,
        section: section?.toUpperCase() ?? null,
        level: level ?? null,
        limit,
      }),
    /** Cities of the catalog, most populous first. */
    gazetteerCities: ({ query, country, limit }: GazetteerOptions) =>
      catalog.all({ query: foldedOrNull(query), country: country?.toUpperCase() ?? null, limit }),
  };
}
