import { z } from "zod";
import { AssetStatus, AssetType } from "../enums.ts";
import { Count, observedSpanFields } from "../fields.ts";

export const Asset = z
  .looseObject({
    id: z.int().describe("The number that `asset_id` of an observation names."),
    public_id: z.string(),
    asset_type: AssetType,
    is_mobile: z.boolean().describe("True for vehicle wraps: seen in passing, tied to no place."),
    legibility_score: z
      .number()
      .nullable()
      .describe("Median over the accepted observations that carry one; null when none does."),
    ...observedSpanFields,
    status: AssetStatus,
    observation_count: Count.describe("Accepted observations; rejected rows do not count."),
  })
  .meta({ id: "Asset", description: "A physical thing that bears a record's brand." });
export type Asset = z.infer<typeof Asset>;
