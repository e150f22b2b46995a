import { z } from "zod";
import { EntitySummary } from "./entity.ts";
import { CoverageTier, NameMatch, OnlinePresence } from "./enums.ts";
import { envelopeFields } from "./envelope.ts";
import { Count, Demand } from "./fields.ts";

export const SearchResponse = z
  .looseObject({
    query: z
      .looseObject({
        name: z.string().nullable(),
        name_match: NameMatch.nullable().describe("How the name was compared; null without a name."),
        city: z.string().nullable(),
        industry: z.string().nullable(),
        online_presence: OnlinePresence.nullable(),
      })
      .describe("The filters as understood; null for those not given."),
    count: Count.describe("Records returned; a total is not computed."),
    results: z.array(EntitySummary),
    coverage_status: CoverageTier.describe("The lowest tier among the cities answered for."),
    coverage_message: z.string(),
    demand: Demand,
    ...envelopeFields,
  })
  .meta({ id: "SearchResponse", description: "Records that match the filters." });
export type SearchResponse = z.infer<typeof SearchResponse>;
