import { z } from "zod";
import { CityCell } from "../cities/city-cells.ts";
import { CoverageMetrics } from "../cities/coverage.ts";
import { ConfidenceLevel, CoverageTier, DenominatorStatus, Freshness } from "../enums.ts";
import { Count, CountryCode, Day } from "../fields.ts";

/** The tables of the bulk exports beside that of the explorer. The order of the members is that of the columns. */

export const CityCoverageRow = z
  .object({
    city: z.string().describe("Slug of the city."),
    name: z.string().describe("Name of the city."),
    country: CountryCode.describe("ISO 3166 code of its country."),
    tier: CoverageTier.describe("How densely the city has been observed, in one word."),
    coverage_level: ConfidenceLevel.describe("How much a record that is not found says in this city."),
    freshness: Freshness.describe("How recent the observations are."),
    tier_since: Day.describe("First day of the present tier, in the city's solar time."),
    denominator_status: DenominatorStatus.describe("Whether the eligible cells have been reviewed."),
    records: Count.describe("Records of the city that are listed, dissolved ones included."),
    observations: Count.describe("Accepted observations of these records; rejected rows do not count."),
    ...CoverageMetrics.shape,
    active_records: Count.describe(
      "Of `records`, the ones that are not dissolved: those of the city's index.",
    ),
  })
  .meta({ id: "CityCoverageRow", description: "The coverage of each city, with every metric." });
export type CityCoverageRow = z.infer<typeof CityCoverageRow>;

export const CellRow = z
  .object({ city: z.string().describe("Slug of the city."), ...CityCell.shape })
  .meta({ id: "CellRow", description: "The map cells of all cities." });
export type CellRow = z.infer<typeof CellRow>;
