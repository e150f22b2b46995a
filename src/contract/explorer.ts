import { z } from "zod";
import { AssetType, ClaimState, ConfidenceLevel } from "./enums.ts";
import { Count, Day, Percent } from "./fields.ts";

/** One aggregate row of the export (interface 4.8). A null is an empty field; the order of the members is the header. */
export const ExplorerRow = z
  .object({
    city: z.string().describe("Slug of the city."),
    industry: z.string().nullable(),
    asset_type: AssetType,
    claim_state: ClaimState,
    entities: Count,
    observations: Count,
    observed_cells: Count,
    coverage_level: ConfidenceLevel,
    assets: Count,
    avg_pps: Percent.nullable().describe("Over ranked records; empty when there are none."),
    avg_percentile: Percent.nullable().describe("Over ranked records; empty when there are none."),
    first_observed: Day.nullable(),
    last_observed: Day.nullable(),
  })
  .meta({ id: "ExplorerRow", description: "Aggregates by city, industry, asset type and claim state." });
export type ExplorerRow = z.infer<typeof ExplorerRow>;

/** The header of the CSV, in order. */
export const EXPLORER_COLUMNS = ExplorerRow.keyof().options;
