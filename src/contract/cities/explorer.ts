import { z } from "zod";
import { AssetType, ClaimState, ConfidenceLevel } from "../enums.ts";
import { Count, Day, Percent } from "../fields.ts";
import { MINIMUMS } from "../limits.ts";

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
      "Coverage level of the city. Low numbers mean little where coverage is low.",
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
