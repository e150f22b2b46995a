import { z } from "zod";
import {
  ClaimState,
  CollectionStatus,
  CoverageTier,
  LaunchStatus,
  PublicationStatus,
  RankingState,
} from "../enums.ts";
import { CoverageConfidence, carriedFields, envelopeFields, pageFields } from "../envelope.ts";
import { Count, CountryCode, Day, Demand, Timestamp, Uri } from "../fields.ts";
import { MAX_CELL_RECORDS } from "../limits.ts";
import { EntitySummary, RankTiePolicy } from "../records/entity.ts";
import { SCHEMA } from "../versions.ts";
import { CityRef, Coverage } from "./coverage.ts";

/** Normalizes a requested slug: slugs are published in lower case and accepted in any case. */
export function citySlug(text: string): string {
  return text.toLowerCase();
}

export const CityOption = z
  .looseObject({
    geonameId: z.int(),
    name: z.string(),
    asciiName: z.string(),
    region: z.string(),
    countryCode: CountryCode,
    countryName: z.string(),
    population: Count,
  })
  .meta({ id: "CityOption", description: "A city of the gazetteer, whether or not the service covers it." });

export const CityOptionsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.cityOptions),
    source: z.string().describe("The gazetteer and its license."),
    country: CountryCode.nullable().describe("The country filter; null when omitted."),
    query: z.string().nullable().describe("The search text; null when omitted."),
    cities: z.array(CityOption),
  })
  .meta({ id: "CityOptionsResponse", description: "Matching cities of the gazetteer." });

export const CityObject = z
  .looseObject({
    slug: z.string(),
    name: z.string(),
    region: z.string(),
    region_code: z.string(),
    country: CountryCode,
    country_name: z.string(),
    geoname_id: z.int(),
    display_label: z.string(),
    publication_status: PublicationStatus,
    collection_status: CollectionStatus,
    public_index_url: Uri,
    launched: z.boolean(),
  })
  .meta({ id: "City", description: "A city that the service covers." });
export type CityObject = z.infer<typeof CityObject>;

export const RankedEntity = z
  .looseObject({
    ...EntitySummary.shape,
    rank: z.int().positive().nullable().describe("Dense rank; null while the record is not ranked."),
    rank_tie_policy: RankTiePolicy,
  })
  .meta({ id: "RankedEntity", description: "A record in a city's ranking." });
export type RankedEntity = z.infer<typeof RankedEntity>;

export const RankingSummary = z
  .looseObject({ eligible: Count, evidence_building: Count, integrity_review: Count })
  .meta({
    id: "RankingSummary",
    description: "Records on all pages that match the filters, by status of their ranking gate.",
  });

export const CityIndexResponse = z
  .looseObject({
    city: CityObject,
    launch_status: LaunchStatus,
    coverage_status_deprecated: z
      .boolean()
      .describe("Always true: use `coverage_confidence` instead of `coverage_status`."),
    coverage_status: CoverageTier.meta({ deprecated: true }),
    coverage_message: z.string(),
    demand: Demand,
    data_available: z.boolean(),
    industry: z.string().nullable().describe("The industry filter; null when omitted."),
    ranking_state: RankingState.nullable().describe("The ranking-state filter; null when omitted."),
    claim_status: ClaimState.nullable().describe("The claim filter; null when omitted."),
    license: z.string(),
    returned_count: Count,
    ...pageFields,
    total_count: Count.describe(
      "Records in the frozen snapshot that match the filters. Dissolved records are excluded.",
    ),
    count: Count.describe("The same as `returned_count`."),
    snapshot_id: z.uuid().describe("The frozen snapshot behind all pages of this list."),
    ranking_summary: RankingSummary,
    rankings: z
      .array(RankedEntity)
      .describe(
        "Ordered by rank and, within one rank, by `pps_without_any_one_observer`; then unranked records by `provisional_pps`. Public ids break ties.",
      ),
    ...envelopeFields,
    ...carriedFields,
  })
  .meta({ id: "CityIndexResponse", description: "One page of a city's ranking, from a frozen snapshot." });
export type CityIndexResponse = z.infer<typeof CityIndexResponse>;

export const CityListItem = z
  .looseObject({
    id: z.int(),
    ...CityObject.shape,
    data_available: z.boolean(),
    coverage: z.looseObject({
      level: CoverageConfidence.shape.level,
      tier: Coverage.shape.tier,
      freshness: Coverage.shape.freshness,
      observed_cells: CoverageConfidence.shape.observed_cells,
      methodology_version: Coverage.shape.methodology_version,
      calculated_at: Coverage.shape.calculated_at,
      limitations: Coverage.shape.limitations,
      note: CoverageConfidence.shape.note,
    }),
    ...carriedFields,
  })
  .meta({ id: "CityListItem", description: "A city with a summary of its coverage." });
export type CityListItem = z.infer<typeof CityListItem>;

export const CityList = z.array(CityListItem).meta({
  id: "CityList",
  description: "All cities, as a bare array without an envelope.",
});
export type CityList = z.infer<typeof CityList>;

/** Observations and looks in one map cell. Day windows and counts match the coverage metrics. */
export const CityCell = z
  .looseObject({
    h3_cell: z.string().describe("H3 cell at resolution 8, about 0.7 km²."),
    eligible: z.boolean().describe("True when the cell counts in the denominator of the city's coverage."),
    observations_90d: Count.describe(
      "Physical citations in the last 90 days, counted as in the coverage metrics.",
    ),
    records_90d: Count.describe("Distinct records among these citations."),
    observations: Count.describe("Physical citations of all time. Zero is not evidence of absence."),
    weeks_looked_90d: Count.describe(
      "ISO weeks of the last 90 days with a counted visit that looked for fixed signs here, or with a counted sighting.",
    ),
    months_looked: Count.describe(
      "Months of all time in which two or more principals visited to look for fixed signs.",
    ),
    last_observed: Day.nullable().describe(
      "Day of the last citation, in the city's solar time; null before the first.",
    ),
  })
  .meta({
    id: "CityCell",
    description:
      "Accepted observations and visits in one cell of a city. Mobile assets are excluded because their places are published at a coarser resolution.",
  });
export type CityCell = z.infer<typeof CityCell>;

const { public_id, name, is_synthetic, record_url } = EntitySummary.shape;

const CellRecord = z.looseObject({
  public_id,
  name,
  is_synthetic,
  record_url,
  observations: Count.describe("Physical citations of this record in the cell."),
  last_observed: Day.describe("Day of the last of them, in the city's solar time."),
});

export const CityAreaResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.cityArea),
    city: CityRef,
    area: z.string().describe("H3 cell at resolution 6, about 36 km²."),
    cells: z
      .array(
        z.looseObject({
          ...CityCell.shape,
          records: Count.describe("Records with physical citations in this cell, of all time."),
          first_records: z
            .array(CellRecord)
            .max(MAX_CELL_RECORDS)
            .describe(`At most ${MAX_CELL_RECORDS} of these records, most observed in the cell first.`),
        }),
      )
      .describe("The eligible and observed cells of the city in this area, by cell."),
    license: z.string(),
    claim_boundary: z.string().describe("Limits of a cell's counts."),
    ...envelopeFields,
    ...carriedFields,
  })
  .meta({
    id: "CityAreaResponse",
    description: "The map cells of a city within a larger cell, with their counts and records.",
  });
export type CityAreaResponse = z.infer<typeof CityAreaResponse>;

export const CountsMadeUp = z.boolean().describe("True for demonstration data: what is counted is made up.");

/** A cell where it stands alone: in a row of a table, in a feature of a map. */
export const CellFacts = z.looseObject({
  city: z.string().describe("City slug."),
  ...CityCell.shape,
  city_name: z.string().describe("City name."),
  is_synthetic: CountsMadeUp,
});

/** A GeoJSON position: longitude, then latitude (RFC 7946). */
const Position = z.tuple([z.number(), z.number()]);
const OneRing = z.tuple([z.array(Position).min(4)]);

/** `/exports/cells/{city}.geojson`. All members other than `type` and `features` are foreign members of GeoJSON. */
export const CityCellCollection = z
  .looseObject({
    type: z.literal("FeatureCollection"),
    city: CityRef,
    data_as_of: Timestamp,
    methodology_version: z.string(),
    methodology_url: z.url(),
    license: z.string().describe("SPDX identifier."),
    claim_boundary: z.string().describe("Limits of a cell's counts."),
    features: z.array(
      z.looseObject({
        type: z.literal("Feature"),
        id: z.string().describe("The cell."),
        geometry: z.discriminatedUnion("type", [
          z.looseObject({
            type: z.literal("Polygon"),
            coordinates: OneRing.describe("One closed ring, counterclockwise."),
          }),
          z.looseObject({
            type: z.literal("MultiPolygon"),
            coordinates: z
              .array(OneRing)
              .min(2)
              .describe("A cell across the 180th meridian, cut there (RFC 7946, 3.1.9)."),
          }),
        ]),
        properties: CellFacts,
      }),
    ),
  })
  .meta({ id: "CityCellCollection", description: "The cells of a city as GeoJSON (RFC 7946)." });
export type CityCellCollection = z.infer<typeof CityCellCollection>;

/** One city of the GeoNames gazetteer behind `locations/cities`. `region` and `regionCode` are empty for countries without regions. */
export const GazetteerCity = z.object({
  geonameId: z.int().positive(),
  name: z.string().min(1).max(200),
  asciiName: z.string().min(1).max(200),
  region: z.string().max(200),
  regionCode: z.string().max(20),
  countryCode: z.string().regex(/^[A-Z]{2}$/),
  countryName: z.string().min(1),
  population: z.int().nonnegative(),
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
});
export type GazetteerCity = z.infer<typeof GazetteerCity>;
