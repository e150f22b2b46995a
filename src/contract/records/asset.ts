import { z } from "zod";
import { AssetStatus, AssetType } from "../enums.ts";
import { Count, observedSpanFields } from "../fields.ts";

export const Asset = z
  .looseObject({
    id: z.int().describe("Number that `asset_id` of an observation refers to."),
    public_id: z.string(),
    asset_type: AssetType,
    is_mobile: z.boolean().describe("True for vehicle wraps: they move and have no fixed place."),
    legibility_score: z
      .number()
      .nullable()
      .describe("Median over the accepted observations that have a value; null when none has."),
    ...observedSpanFields,
    status: AssetStatus,
    observation_count: Count.describe("Accepted observations only."),
    counting_observation_count: Count.describe(
      "Accepted observations that count as independent evidence. 0: nothing of the asset counts yet.",
    ),
  })
  .meta({ id: "Asset", description: "A physical object that carries a record's brand." });
export type Asset = z.infer<typeof Asset>;
