import {
  type CityCell,
  type CityList,
  type CityListItem,
  CityList as CityListSchema,
  type CityObject,
  CityOptionsResponse,
} from "../../contract/cities/city.ts";
import type { CityRef } from "../../contract/cities/coverage.ts";
import { INDUSTRIES, IndustryOptionsResponse, industryPath } from "../../contract/cities/industry.ts";
import { CityOptionsParams, IndustryOptionsParams } from "../../contract/params.ts";
import { COVERAGE_VERSION, SCHEMA } from "../../contract/versions.ts";
import { PublicError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import type { CellCounts, CityRow, ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineDocument, defineResource, type PathValues, type ReadContext } from "../define.ts";
import { carriedOf, cityDateOrNull, coverageConfidence } from "../envelope.ts";
import { cityUrl } from "../links.ts";

export function cityObject(city: CityRow, baseUrl: string): CityObject {
  return {
    ...cityRef(city),
    region: city.region,
    region_code: city.regionCode,
    country: city.country,
    country_name: city.countryName,
    geoname_id: city.geonameId,
    display_label: [city.name, city.region, city.countryName].filter((part) => part !== "").join(", "),
    publication_status: city.publicationStatus,
    collection_status: city.collectionStatus,
    public_index_url: cityUrl(baseUrl, city.slug),
    launched: city.launched,
  };
}

export function cityRef(city: CityRow): CityRef {
  return { slug: city.slug, name: city.name };
}

/** Number of records in a summary of the city's index. The whole index has all listed records except dissolved ones. */
export function activeRecords({ rankingSummary }: Pick<CityRow, "rankingSummary">): number {
  const { eligible, evidence_building, integrity_review } = rankingSummary;
  return eligible + evidence_building + integrity_review;
}

/** Returns the city of a slug. Throws PublicError 404 with `details` for a city that the service does not cover. */
export function coveredCity(
  snapshot: Snapshot,
  slug: string,
  details?: ConstructorParameters<typeof PublicError>[2],
): CityRow {
  const city = snapshot.city(slug);
  if (city === undefined)
    throw new PublicError(
      404,
      "the service does not cover this city: see /api/v1/cities for the covered ones",
      { code: "city_not_covered", ...details },
    );
  return city;
}

/** Name of the city of something stored, which may be no longer published. */
export function cityNameOrNull(snapshot: Snapshot, slug: string | null): string | null {
  return slug === null ? null : (snapshot.city(slug)?.name ?? null);
}

export const cities = defineDocument({
  operationId: "listCities",
  path: "/api/v1/cities",
  summary: "List the covered cities with a summary of their coverage",
  description: "Returns a bare array in order of registration.",
  wire: CityListSchema,
  load({ snapshot }): CityList {
    const release = snapshot.release();
    return snapshot.cities().map((city) => listItem(city, release));
  },
});

/** All published cities, for resources with one file per city. */
export function* cityPaths(snapshot: Snapshot): Iterable<PathValues> {
  for (const { slug } of snapshot.cities()) yield { city: slug };
}

function listItem(city: CityRow, release: ReleaseRow): CityListItem {
  const { tier, freshness, limitations } = city.coverage;
  return {
    id: city.id,
    ...cityObject(city, release.baseUrl),
    data_available: city.observationCount > 0,
    coverage: {
      ...coverageConfidence([city]),
      tier,
      freshness,
      methodology_version: COVERAGE_VERSION,
      calculated_at: isoTime(release.asOf),
      limitations,
    },
    ...carriedOf([city]),
  };
}

/** Returns a city's eligible and observed cells, by cell; empty for an unknown city. */
export function cityCells({ snapshot }: Pick<ReadContext, "snapshot">, slug: string): CityCell[] {
  const city = snapshot.city(slug);
  if (city === undefined) return [];
  const eligible = new Set(city.cells);
  const observed = new Map(snapshot.cellCounts(slug).map((counts) => [counts.cell, counts]));
  return [...new Set([...eligible, ...observed.keys()])]
    .sort()
    .map((cell) => cityCell(city, cell, eligible.has(cell), observed.get(cell)));
}

function cityCell(
  { lng }: CityRow,
  cell: string,
  eligible: boolean,
  counts: CellCounts | undefined,
): CityCell {
  return {
    h3_cell: cell,
    eligible,
    observations_90d: counts?.observations90d ?? 0,
    records_90d: counts?.records90d ?? 0,
    observations: counts?.observations ?? 0,
    weeks_looked_90d: counts?.weeksLooked90d ?? 0,
    months_looked: counts?.monthsLooked ?? 0,
    last_observed: cityDateOrNull(counts?.lastObserved ?? null, lng),
  };
}

const SOURCE = "GeoNames, CC BY 4.0";

export const gazetteer = defineResource({
  operationId: "listGazetteerCities",
  path: "/api/v1/locations/cities",
  summary: "Search cities worldwide, covered by the service or not",
  description:
    "Searches an independent gazetteer, most populous cities first. A listed city is not necessarily covered.",
  pathParams: {},
  query: CityOptionsParams.shape,
  wire: CityOptionsResponse,
  example: { path: {}, query: { query: "example", country: "ZZ", limit: "2" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { query, country, limit }) {
    return {
      schema: SCHEMA.cityOptions,
      source: SOURCE,
      country: country ?? null,
      query: query ?? null,
      cities: snapshot.gazetteerCities({ query, country, limit }).map((city) => ({
        geonameId: city.geonameId,
        name: city.name,
        asciiName: city.asciiName,
        region: city.region,
        countryCode: city.countryCode,
        countryName: city.countryName,
        population: city.population,
      })),
    };
  },
});

const TAXONOMY = "UN ISIC Revision 5";

export const industries = defineResource({
  operationId: "listIndustries",
  path: "/api/v1/taxonomy/industries",
  summary: "Search the UN ISIC Revision 5 industries",
  description: "Returns the codes for industry filters. A filter matches a code and everything below it.",
  pathParams: {},
  query: IndustryOptionsParams.shape,
  wire: IndustryOptionsResponse,
  example: { path: {}, query: { query: "plumbing", level: "class" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { query, section, level, limit }) {
    return {
      schema: SCHEMA.industryOptions,
      source: TAXONOMY,
      query: query ?? null,
      industries: snapshot.industries({ query, section, level, limit }),
    };
  },
});

/** An ISIC section or code with records in a city. */
export type CityIndustry = ReturnType<typeof cityIndustries>[number];

/** Returns the sections and exact codes of a city's active records, in classification order. */
export function cityIndustries({ snapshot }: Pick<ReadContext, "snapshot">, slug: string) {
  const counts = snapshot.industryCounts(slug);
  const listed = new Set(counts.flatMap(({ code }) => [code, industryPath(code)[0]]));
  const records = new Map<string, number>();
  for (const { code, records: count } of counts)
    for (const above of industryPath(code)) records.set(above, (records.get(above) ?? 0) + count);
  return INDUSTRIES.filter(({ code }) => listed.has(code)).map(({ code, title, level, sectionCode }) => ({
    code,
    title,
    level,
    section: sectionCode, // letter
    /** Number of records of this code and all codes below it, as in the index's industry filter. */
    records: records.get(code) ?? 0,
  }));
}
