import { z } from "zod";
import { envelopeFields } from "../envelope.ts";
import { Count, Day, Percent, Ratio } from "../fields.ts";
import { PresenceScore } from "./entity.ts";

export const ScorePart = z.enum(["recency", "volume", "breadth", "assets", "independence"]);
export type ScorePart = z.infer<typeof ScorePart>;

export const ScoreComponents = z
  .looseObject({
    methodology_version: z.string(),
    raw_score: Percent.describe("Sum of the components' points."),
    parts: z.array(
      z.looseObject({
        key: ScorePart,
        value: Ratio,
        weight: Ratio,
        points: Percent.describe("100 * weight * value."),
      }),
    ),
  })
  .meta({ id: "ScoreComponents", description: "Components of the raw score." });
export type ScoreComponents = z.infer<typeof ScoreComponents>;

export const Cohort = z
  .looseObject({
    city: z.string().describe("City slug."),
    industry: z.string().nullable().describe("Always null: the cohort spans all industries of the city."),
    size: Count,
    definition: z.string(),
    methodology_version: z.string(),
    median_raw: z.number().nullable().describe("Median raw score; null while the cohort is too small."),
    spread: z
      .number()
      .nullable()
      .describe("Divisor of the logistic curve; null while the cohort is too small."),
  })
  .meta({ id: "Cohort", description: "The records that a score is relative to." });
export type Cohort = z.infer<typeof Cohort>;

export const PresenceScoreResponse = z
  .looseObject({
    public_id: z.string(),
    name: z.string(),
    is_synthetic: z.boolean(),
    ...PresenceScore.shape,
    components: ScoreComponents.nullable(),
    cohort: Cohort,
    history: z
      .array(z.looseObject({ date: Day, pps: Percent, observation_count_30d: Count.nullable() }))
      .describe(
        "Scores at the end of the last 26 ISO weeks, oldest first. Weeks without a score are omitted.",
      ),
    ...envelopeFields,
  })
  .meta({
    id: "PresenceScoreResponse",
    description: "A record's score with components, cohort and history.",
  });
export type PresenceScoreResponse = z.infer<typeof PresenceScoreResponse>;
