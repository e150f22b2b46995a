import { z } from "zod";
import {
  ClaimState,
  CollectionStatus,
  CoverageTier,
  LaunchStatus,
  PublicationStatus,
  RankingState,
} from "../enums.ts";
import { CoverageConfidence, carriedFields, envelopeFields } from "../envelope.ts";
import { Count, CountryCode, Demand, Uri } from "../fields.ts";
import { pageFields } from "../paging.ts";
import { EntitySummary, RankTiePolicy } from "../records/entity.ts";
import { Coverage } from "./coverage.ts";

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
