/** Tables of the bulk exports, other than the explorer's. The field order is the column order. */

import { z } from "zod";
import { CityCell } from "../cities/city-cells.ts";
import { CoverageMetrics } from "../cities/coverage.ts";
import { ConfidenceLevel, CoverageTier, DenominatorStatus, Freshness } from "../enums.ts";
import { Count, CountryCode, Day } from "../fields.ts";

export const CityCoverageRow = z
  .object({
    city: z.string().describe("City slug."),
    name: z.string().describe("City name."),
    country: CountryCode.describe("ISO 3166 country code."),
    tier: CoverageTier.describe("Coverage tier of the city."),
    coverage_level: ConfidenceLevel.describe("Coverage level: how much a missing record means in this city."),
    freshness: Freshness.describe("Recency of the observations."),
    tier_since: Day.describe("First day of the current tier, in the city's solar time."),
    denominator_status: DenominatorStatus.describe("Whether the list of eligible cells is reviewed."),
    records: Count.describe("Listed records of the city, dissolved ones included."),
    observations: Count.describe("Accepted observations of these records."),
    ...CoverageMetrics.shape,
    active_records: Count.describe("Records that are not dissolved: those in the city's index."),
  })
  .meta({ id: "CityCoverageRow", description: "Coverage of each city, with all metrics." });
export type CityCoverageRow = z.infer<typeof CityCoverageRow>;

export const CellRow = z
  .object({ city: z.string().describe("City slug."), ...CityCell.shape })
  .meta({ id: "CellRow", description: "Map cells of all cities." });
export type CellRow = z.infer<typeof CellRow>;
