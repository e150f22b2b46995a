import type { Database } from "better-sqlite3";
import type { IndustryLevel } from "../../contract/enums.ts";
import type { GazetteerRow, IndustryRow } from "../rows.ts";
import { foldName } from "../search/fold-name.ts";

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

export interface ReferenceQueries {
  /** Entries of the taxonomy in its own order. */
  industries(options: IndustryOptions): IndustryRow[];
  /** Cities of the catalogue, most populous first. */
  gazetteerCities(options: GazetteerOptions): GazetteerRow[];
}

export function referenceQueries(db: Database): ReferenceQueries {
  const industries = db.prepare<object, IndustryRow>(
    `SELECT code, title, level, section_code AS sectionCode, section_title AS sectionTitle FROM industries
     WHERE (:query IS NULL OR instr(folded, :query) OR (code >= :code AND code < :code || ':'))
       AND (:section IS NULL OR section_code = :section) AND (:level IS NULL OR level = :level)
     ORDER BY seq LIMIT :limit`,
  );
  const gazetteer = db.prepare<object, GazetteerRow>(
    `SELECT geoname_id AS geonameId, name, ascii_name AS asciiName, region, region_code AS regionCode,
       country_code AS countryCode, country_name AS countryName, population, lat, lng FROM gazetteer
     WHERE (:query IS NULL OR instr(folded, :query)) AND (:country IS NULL OR country_code = :country)
     ORDER BY seq LIMIT :limit`,
  );
  return {
    industries: ({ query, section, level, limit }) =>
      industries.all({
        query: query === undefined ? null : foldName(query),
        code: query?.toUpperCase() ?? null,
        section: section?.toUpperCase() ?? null,
        level: level ?? null,
        limit,
      }),
    gazetteerCities: ({ query, country, limit }) =>
      gazetteer.all({
        query: query === undefined ? null : foldName(query),
        country: country?.toUpperCase() ?? null,
        limit,
      }),
  };
}
