import { z } from "zod";
import { ConfidenceLevel } from "./enums.ts";
import { Count, Timestamp, Uri } from "./fields.ts";

export const CoverageConfidence = z
  .looseObject({
    level: ConfidenceLevel.describe(
      "Observation density; 'not observed' is evidence of absence only at `high`.",
    ),
    observed_cells: Count.describe("Cells with an accepted observation in the last 90 days."),
    note: z.string(),
  })
  .meta({
    id: "CoverageConfidence",
    description: "How densely the city, or the sparsest of the cities answered for, has been observed.",
  });
export type CoverageConfidence = z.infer<typeof CoverageConfidence>;

/** The members that most read responses end with (interface 2.1); spread into a response's fields. */
export const envelopeFields = {
  methodology_url: Uri.describe("Where the methodology is published."),
  data_as_of: Timestamp.describe("The instant the data describes, set by the server."),
  coverage_confidence: CoverageConfidence,
};

export const Envelope = z.looseObject(envelopeFields).meta({
  id: "Envelope",
  description: "Members that most read responses carry.",
});
export type Envelope = z.infer<typeof Envelope>;
