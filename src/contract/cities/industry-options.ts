import { z } from "zod";
import { IndustryLevel } from "../enums.ts";
import { SCHEMA } from "../versions.ts";

export const IndustryOption = z
  .looseObject({
    code: z.string(),
    title: z.string(),
    level: IndustryLevel,
    sectionCode: z.string(),
    sectionTitle: z.string(),
  })
  .meta({ id: "IndustryOption", description: "One entry of the ISIC Rev. 5 taxonomy." });

export const IndustryOptionsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.industryOptions),
    source: z.string(),
    query: z.string().nullable().describe("The search text; null when omitted."),
    industries: z.array(IndustryOption),
  })
  .meta({ id: "IndustryOptionsResponse", description: "Matching industries." });
export type IndustryOptionsResponse = z.infer<typeof IndustryOptionsResponse>;
