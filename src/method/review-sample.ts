import { sha256Hex } from "../kernel/hash.ts";
import { share } from "./numbers.ts";
import { PARAMETERS } from "./parameters.ts";
import { wilsonInterval } from "./standing/wilson.ts";

/** Reasons of the review desk: a misread observation, one matched to the wrong record, and an upheld report. */
export const SAMPLE_REASONS = {
  misread: "picture_unclear",
  mismatched: "wrong_subject",
  reported: "reported_problem",
} as const;

/** A row that may be drawn. `seed` is from the seal that covers it, so it is unknown until the row is in the tree. */
export interface Candidate {
  readonly row: number;
  readonly seed: string;
}

/**
 * A random sample without replacement, by row: the `size` candidates with the smallest SHA-256 of seed and row. A row's place in
 * this order never changes, so consecutive samples mostly agree, and anyone with the seals can draw them again.
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

/** The latest review of an observation. */
export interface SampleReview {
  readonly decision: "verify" | "reject";
  readonly reason: string;
}

export interface SampleResult {
  readonly rows: readonly number[];
  readonly reviewed: number; // judged right or wrong on the measured question
  readonly correct: number; // of `reviewed`
  /** Rejected for a reason unrelated to the measured question. */
  readonly undecided: number;
  readonly precision: number | null; // null while too few were reviewed
  readonly interval: { readonly low: number; readonly high: number } | null; // Wilson, 95 %
}

/** The result of a sample's reviews. A rejection with the reason `fault` counts as wrong. */
export function sampleResult(
  rows: readonly number[],
  reviews: ReadonlyMap<number, SampleReview>,
  fault: string,
): SampleResult {
  const reviewsOfRows = rows.flatMap((row) => reviews.get(row) ?? []);
  const correct = reviewsOfRows.filter(({ decision }) => decision === "verify").length;
  const wrong = reviewsOfRows.filter(
    ({ decision, reason }) => decision === "reject" && reason === fault,
  ).length;
  const reviewed = correct + wrong;
  const isKnown = reviewed >= PARAMETERS.samples.minimumReviewed;
  return {
    rows,
    reviewed,
    correct,
    undecided: reviewsOfRows.length - reviewed,
    precision: isKnown ? share(correct, reviewed) : null,
    interval: isKnown ? wilsonInterval(correct, reviewed) : null,
  };
}
