import { z } from "zod";
import { ERROR_CODES } from "../kernel/errors.ts";
import { ConfidenceLevel } from "./enums.ts";
import { Count, Timestamp, Uri } from "./fields.ts";

/** Kinds of values that keep their value between an erasure and the next nightly release. */
export const CARRIED_VALUES = ["scores", "ranks", "coverage"] as const;

const NOTE =
  "Something was erased here since the last nightly release. Lists and their counts are without it. Scores, ranks and coverage keep their values until the next nightly release.";

export const CarriedOver = z
  .looseObject({
    tree_size: z.int().positive().describe("Size of the signed tree that holds the erasure."),
    values: z.array(z.enum(CARRIED_VALUES)),
    note: z.string(),
  })
  .meta({
    id: "CarriedOver",
    description: "Values of a city that are from before an erasure. Absent after the next nightly release.",
  });
export type CarriedOver = z.infer<typeof CarriedOver>;

export function carriedOver(treeSize: number): CarriedOver {
  return { tree_size: treeSize, values: [...CARRIED_VALUES], note: NOTE };
}

export const ErrorBody = z
  .looseObject({
    error: z.string().min(1).describe("What is wrong and what to do, in words."),
    code: z
      .string()
      .describe(
        `Machine-readable error code: one of ${ERROR_CODES.map(({ code }) => `\`${code}\``).join(", ")}. Later versions may add codes: treat an unknown code by its status.`,
      ),
    did_you_mean: z.string().optional().describe("The likely intended parameter or member of the body."),
  })
  .meta({ id: "ErrorBody", description: "Body of every error response." });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const CoverageConfidence = z
  .looseObject({
    level: ConfidenceLevel,
    observed_cells: Count.describe(
      "Cells that somebody visited to look for fixed signs in the last 90 days, or in which one was seen.",
    ),
    note: z.string(),
  })
  .meta({
    id: "CoverageConfidence",
    description: "Coverage confidence of the city; with several cities, that of the least observed one.",
  });
export type CoverageConfidence = z.infer<typeof CoverageConfidence>;

/** Fields of the responses about cities, in addition to the envelope's. */
export const carriedFields = { carried_over: CarriedOver.optional() };

/** Fields at the end of most read responses (interface 2.1), to spread into a response's shape. */
export const envelopeFields = {
  methodology_url: Uri.describe("URL of the methodology."),
  data_as_of: Timestamp.describe("Time that the data describes, set by the server."),
  coverage_confidence: CoverageConfidence,
};

export const Envelope = z.looseObject(envelopeFields).meta({
  id: "Envelope",
  description: "Fields shared by most read responses.",
});
export type Envelope = z.infer<typeof Envelope>;

/** Fields of every response that returns one page of a frozen list. */
export const pageFields = {
  total_count: Count.describe("Matching rows in the frozen snapshot, on all pages."),
  has_more: z.boolean().describe("True when more rows follow this page."),
  next_cursor: z
    .string()
    .nullable()
    .describe("Pass it as `cursor` to get the next page; null on the last page."),
};

const PageFields = z.object(pageFields);
export type PageFields = z.infer<typeof PageFields>;
