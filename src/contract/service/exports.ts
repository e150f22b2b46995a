import { z } from "zod";
import { CellFacts, CountsMadeUp } from "../cities/city.ts";
import { CoverageMetrics } from "../cities/coverage.ts";
import {
  AssetType,
  ClaimState,
  ConfidenceLevel,
  CoverageTier,
  DenominatorStatus,
  Freshness,
} from "../enums.ts";
import { Count, CountryCode, Day, Percent, Timestamp } from "../fields.ts";
import { MINIMUMS } from "../limits.ts";
import { SCHEMA } from "../versions.ts";

/** Note shown with the averages. */
export const AVERAGES_NOTE = `Averages cover ranked records and are empty for fewer than ${MINIMUMS.averagedRecords} of them, so no row reveals the score of a single record.`;

const AVERAGE = `Average over ranked records; empty for fewer than ${MINIMUMS.averagedRecords}.`;

/** One aggregate row of the export (interface 4.8). Null means an empty field; the field order is the CSV header. */
export const ExplorerRow = z
  .object({
    city: z.string().describe("City slug."),
    industry: z.string().nullable().describe("ISIC Rev. 5 code; empty when not classified."),
    asset_type: AssetType.describe("Type of the observed asset."),
    claim_state: ClaimState.describe("Whether the record is claimed. A claim does not show ownership."),
    entities: Count.describe("Records with an asset of this type."),
    observations: Count.describe("Accepted observations of these assets."),
    observed_cells: Count.describe("H3 cells in which these assets were observed."),
    coverage_level: ConfidenceLevel.describe(
      "Coverage confidence of the city: the meaning of a missing record. Where it is low, low numbers mean little.",
    ),
    assets: Count.describe("Observed assets."),
    avg_pps: Percent.nullable().describe(AVERAGE),
    avg_percentile: Percent.nullable().describe(AVERAGE),
    first_observed: Day.nullable().describe("Day of the first observation, in the city's solar time."),
    last_observed: Day.nullable().describe("Day of the last observation, in the city's solar time."),
  })
  .meta({ id: "ExplorerRow", description: "Aggregates by city, industry, asset type and claim state." });
export type ExplorerRow = z.infer<typeof ExplorerRow>;

/** CSV column names, in order. */
export const EXPLORER_COLUMNS = ExplorerRow.keyof().options;

export const CityCoverageRow = z
  .object({
    city: z.string().describe("City slug."),
    name: z.string().describe("City name."),
    country: CountryCode.describe("ISO 3166 country code."),
    tier: CoverageTier,
    coverage_level: ConfidenceLevel,
    freshness: Freshness.describe("Recency of the observations."),
    tier_since: Day.describe("First day of the current tier, in the city's solar time."),
    denominator_status: DenominatorStatus.describe("Whether the list of eligible cells is reviewed."),
    records: Count.describe("Listed records of the city, dissolved ones included."),
    observations: Count.describe("Accepted observations of these records."),
    ...CoverageMetrics.shape,
    active_records: Count.describe("Records that are not dissolved: those in the city's index."),
    city_name: z.string().describe("Same as `name`."),
    is_synthetic: CountsMadeUp,
    sightings_per_area_90d: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        "Accepted observations of fixed assets for each cell that was visited, both in the last 90 days; empty where no cell was visited.",
      ),
    new_records_30d: Count.describe("Records first published in the last 30 days."),
  })
  .meta({ id: "CityCoverageRow", description: "Coverage of each city, with all metrics." });
export type CityCoverageRow = z.infer<typeof CityCoverageRow>;

export const CellRow = z
  .object(CellFacts.shape)
  .meta({ id: "CellRow", description: "Map cells of all cities." });
export type CellRow = z.infer<typeof CellRow>;

/** Where a release describes its public snapshot; only a release whose documents of records are made on demand has one. */
export const PUBLIC_SNAPSHOT = "snapshot.json";

/** No part comes near the limit of a published file, and a night links those that stay the same. */
export const SNAPSHOT_PART_BYTES = 64 * 1024 * 1024;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `/snapshot.json`: the database that documents of records are made from, in parts that follow each other. */
export const PublicSnapshot = z.looseObject({
  schema: z.literal(SCHEMA.publicSnapshot),
  release_id: z.string(),
  record_documents: z.literal("on-demand"),
  program: z.looseObject({ version: z.string(), source_revision: z.string() }),
  sha256: Sha256, // of the whole
  bytes: z.int().positive(),
  parts: z.array(z.looseObject({ path: z.string(), sha256: Sha256, bytes: z.int().positive() })).min(1),
});
export type PublicSnapshot = z.infer<typeof PublicSnapshot>;

/** Path of a part below `site/`, by its hash. */
export function snapshotPartPath(sha256: string): string {
  return `snapshot/${sha256}`;
}

/** Changes to records between two releases: `/exports/changes.json` and `changes.csv`. */

export const RecordChange = z.enum(["added", "changed", "merged"]);

/** What a record can differ in. */
export const RecordPart = z.enum(["evidence", "status", "identity", "score"]);
export type RecordPart = z.infer<typeof RecordPart>;

export const ChangeRow = z
  .object({
    public_id: z.string().describe("Public id of the record."),
    change: RecordChange.describe(
      "`added`: not published before. `changed`: published data differs; see the field `changed`. `merged`: now part of another record.",
    ),
    merged_into: z
      .string()
      .nullable()
      .describe("For a merged record, the record it is now part of; otherwise empty."),
    changed: z
      .array(RecordPart)
      .describe(
        "For a changed record, what differs: `evidence` (observations, assets and their counts), `status` (states and online presence), `identity` (name, website, industry, reviewed relationships), `score` (score, rank and gate, which also depend on time and on the city's other records). Otherwise empty.",
      ),
  })
  .meta({ id: "ChangeRow", description: "One record that differs from the previous release." });
export type ChangeRow = z.infer<typeof ChangeRow>;

/** The same as a row of a table. */
export const ChangeTableRow = ChangeRow.extend({
  changed: z
    .string()
    .nullable()
    .describe("For a changed record, what differs, separated by spaces: evidence, status, identity, score."),
});
export type ChangeTableRow = z.infer<typeof ChangeTableRow>;

export const ReleaseRef = z.looseObject({
  release_id: z.string(),
  data_as_of: Timestamp,
  records: Count.describe("Records in this release."),
});
export type ReleaseRef = z.infer<typeof ReleaseRef>;

export const ReleaseChanges = z
  .looseObject({
    release: ReleaseRef,
    against: ReleaseRef.nullable().describe("The previous release; null when there is none to compare with."),
    note: z.string(),
    added: Count,
    changed: Count,
    merged: Count,
    removed: Count.describe(
      "Number of records of the previous release that are no longer published and were not merged. They are never named.",
    ),
    records: z.array(ChangeRow).describe("Sorted by public id."),
  })
  .meta({ id: "ReleaseChanges", description: "Records that a release added, changed or removed." });
export type ReleaseChanges = z.infer<typeof ReleaseChanges>;
