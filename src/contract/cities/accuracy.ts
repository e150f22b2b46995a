import { z } from "zod";
import { envelopeFields } from "../envelope.ts";
import { Count, Day, Ratio, Sha256Hex } from "../fields.ts";
import { MINIMUMS } from "../limits.ts";
import { CityRef } from "./coverage.ts";

export const SignShare = z
  .looseObject({
    value: Ratio.nullable().describe("`hits` divided by `signs`; null while not yet known."),
    hits: Count,
    signs: Count,
    confidence_interval: z
      .looseObject({ low: Ratio, high: Ratio, level: Ratio, method: z.string() })
      .nullable()
      .describe("Confidence interval of the value; null when the value is null."),
    not_yet_known: z
      .string()
      .nullable()
      .describe(
        `Why the value is missing, for example fewer than ${MINIMUMS.visitedSigns} signs. Null when there is a value.`,
      ),
  })
  .meta({ id: "SignShare", description: "A share of signs, with its interval." });
export type SignShare = z.infer<typeof SignShare>;

export const SharesByType = z
  .looseObject({
    total: SignShare,
    by_asset_type: z.looseObject({ storefront: SignShare, billboard: SignShare, site_sign: SignShare }),
  })
  .meta({ id: "SharesByType", description: "A share over all fixed assets, and by asset type." });
export type SharesByType = z.infer<typeof SharesByType>;

export const AccuracyMeasurement = z
  .looseObject({
    visited_from: Day.describe("Day of the first visit, in the city's solar time."),
    visited_until: Day.describe("Day of the last visit."),
    age_days: Count.describe("Days from the first visit to `data_as_of`."),
    supports_high: z
      .boolean()
      .describe("True when the detection rate and the age allow the coverage level `high`."),
    plan_row: z.int().positive().describe("Ledger row of the plan, written before the visits."),
    result_row: z.int().positive().describe("Ledger row of what was found."),
    manifest_sha256: Sha256Hex.describe("Manifest of the seal that drew the assets and cells."),
    assets_drawn: Count.describe("Drawn assets, without those erased since."),
    assets_visited: Count,
    cells_drawn: Count,
    cells_visited: Count,
    precision: SharesByType.describe(
      "Of the listed active assets, the share that was found: `hits` found of `signs` visited.",
    ),
    detection_rate: SharesByType.describe(
      "Of the signs found in the drawn cells, the share that was listed: `hits` listed of `signs` found.",
    ),
  })
  .meta({ id: "AccuracyMeasurement", description: "One measurement of a city's listed assets by visits." });
export type AccuracyMeasurement = z.infer<typeof AccuracyMeasurement>;

export const CityAccuracyResponse = z
  .looseObject({
    city: CityRef,
    methodology_version: z.string(),
    plans: Count.describe("Measurements that were planned and drawn in this city."),
    plans_without_result: Count.describe("Of these, those without a published result."),
    measurement: AccuracyMeasurement.nullable().describe("The newest measurement; null when there is none."),
    note: z.string(),
    ...envelopeFields,
  })
  .meta({ id: "CityAccuracyResponse", description: "How right a city's listed assets proved to be." });
export type CityAccuracyResponse = z.infer<typeof CityAccuracyResponse>;
