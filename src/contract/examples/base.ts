import { CONFIDENCE_NOTE } from "../claim-boundary.ts";
import type { CityRef } from "../coverage.ts";
import type { CoverageConfidence, Envelope } from "../envelope.ts";

/** What all examples share. They are fictional: the host is reserved (RFC 2606) and no id resolves. */

export const BASE_URL = "https://presence.example";
export const AS_OF = "2026-06-30T00:00:00Z";
export const SEALED_AT = "2026-06-29T00:05:00Z";

export const exampleOnly = { example_only: true };

export const cityRef: CityRef = { slug: "exampleville", name: "Exampleville" };

export const coverageConfidence: CoverageConfidence = {
  level: "medium",
  observed_cells: 14,
  note: CONFIDENCE_NOTE.medium,
};

export const envelope: Envelope = {
  methodology_url: `${BASE_URL}/methodology`,
  data_as_of: AS_OF,
  coverage_confidence: coverageConfidence,
};

export function recordUrl(publicId: string): string {
  return `${BASE_URL}/record/${publicId}/`;
}
