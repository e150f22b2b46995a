import { z } from "zod";
import { AssetType, ClaimState, ConfidenceLevel } from "../enums.ts";
import { Count, Day, Percent } from "../fields.ts";
import { MINIMUMS } from "../minimums.ts";

/** Said wherever the averages are. */
export const AVERAGES_NOTE = `Averages are over ranked records and left empty where fewer than ${MINIMUMS.averagedRecords} are ranked, so that no row gives the score of a single record.`;

const AVERAGE = `Over ranked records; empty where there are fewer than ${MINIMUMS.averagedRecords}.`;

/** One aggregate row of the export (interface 4.8). A null is an empty field; the order of the members is the header. */
export const ExplorerRow = z
  .object({
    city: z.string().describe("Slug of the city."),
    industry: z.string().nullable().describe("ISIC Rev. 5 code; empty while not classified."),
    asset_type: AssetType.describe("Kind of what was seen."),
    claim_state: ClaimState.describe("Whether somebody has claimed the record, which shows no ownership."),
    entities: Count.describe("Records with such an asset."),
    observations: Count.describe("Accepted observations of these assets; rejected rows do not count."),
    observed_cells: Count.describe("Map cells (H3) in which they were observed."),
    coverage_level: ConfidenceLevel.describe(
      "How densely the city has been observed; a low number in a thinly observed city says little.",
    ),
    assets: Count.describe("Assets observed."),
    avg_pps: Percent.nullable().describe(AVERAGE),
    avg_percentile: Percent.nullable().describe(AVERAGE),
    first_observed: Day.nullable().describe("Day of the first observation, in the city's solar time."),
    last_observed: Day.nullable().describe("Day of the last observation, in the city's solar time."),
  })
  .meta({ id: "ExplorerRow", description: "Aggregates by city, industry, asset type and claim state." });
export type ExplorerRow = z.infer<typeof ExplorerRow>;

/** The header of the CSV, in order. */
export const EXPLORER_COLUMNS = ExplorerRow.keyof().options;
