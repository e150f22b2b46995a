import { sha256Hex } from "../kernel/hash.ts";
import { share } from "./numbers.ts";
import { PARAMETERS } from "./parameters.ts";
import { wilsonInterval } from "./standing/wilson.ts";

/** Reasons of the review desk: an observation was read wrongly, or put to a wrong record; a report was checked and was right. */
export const SAMPLE_REASONS = {
  misread: "picture_unclear",
  mismatched: "wrong_subject",
  reported: "reported_problem",
} as const;

/** A row that may be drawn. `seed` is that of the seal that covers it: nobody knows it before the row is in the tree. */
export interface Candidate {
  readonly row: number;
  readonly seed: string;
}

/**
 * A random sample without replacement, by row: the `size` candidates with the smallest SHA-256 of seed and row. A row's place in the order never
 * changes, so the sample of one night is mostly that of the night before, and whoever has the seals can draw it again.
 */
export function drawSample(candidates: Iterable<Candidate>, size: number): number[] {
  let smallest: { readonly order: string; readonly row: number }[] = [];
  const cut = () => {
    smallest = smallest.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, size);
  };
  for (const { row, seed } of candidates) {
    smallest.push({ order: sha256Hex(`${seed}:${row}`), row });
    if (smallest.length > 2 * size + 1000) cut();
  }
  cut();
  return smallest.map(({ row }) => row).sort((a, b) => a - b);
}

/** The last word of the review desk about an observation. */
export interface SampleReview {
  readonly decision: "verify" | "reject";
  readonly reason: string;
}

export interface SampleResult {
  readonly rows: readonly number[];
  readonly reviewed: number; // found right or wrong in what is measured
  readonly correct: number; // of `reviewed`
  /** Rejected for another reason, which says nothing of what is measured. */
  readonly undecided: number;
  readonly precision: number | null; // null while too few were reviewed to tell
  readonly interval: { readonly low: number; readonly high: number } | null; // Wilson, 95 %
}

/** What the reviews of a sample come to, where a rejection for the reason `fault` is a mistake of what is measured. */
export function sampleResult(
  rows: readonly number[],
  reviews: ReadonlyMap<number, SampleReview>,
  fault: string,
): SampleResult {
  const found = rows.flatMap((row) => reviews.get(row) ?? []);
  const correct = found.filter(({ decision }) => decision === "verify").length;
  const wrong = found.filter(({ decision, reason }) => decision === "reject" && reason === fault).length;
  const reviewed = correct + wrong;
  const isKnown = reviewed >= PARAMETERS.samples.minimumReviewed;
  return {
    rows,
    reviewed,
    correct,
    undecided: found.length - reviewed,
    precision: isKnown ? share(correct, reviewed) : null,
    interval: isKnown ? wilsonInterval(correct, reviewed) : null,
  };
}
