import { sha256Hex } from "../kernel/hash.ts";
import { PARAMETERS, share } from "./numbers.ts";
import { wilsonInterval } from "./standing/verification.ts";

/** A key's place in the order of a draw, which never changes: the SHA-256 of its text, in hexadecimal digits. */
export function placeInDraw(text: string): string {
  return sha256Hex(text);
}

/** A key that was drawn, and its place in the order. */
export interface Drawn<K> {
  readonly key: K;
  readonly order: string;
}

/**
 * A random sample without replacement: the `size` keys with the first places, in their order. Anyone who knows the texts can redraw the
 * sample.
 */
export class Draw<K> {
  readonly #size: number;
  #first: Drawn<K>[] = [];
  #bound: string | undefined; // what comes after it is not drawn

  constructor(size: number) {
    this.#size = size;
  }

  offer(key: K, order: string): void {
    if (this.#bound !== undefined && order > this.#bound) return;
    this.#first.push({ key, order });
    if (this.#first.length > 2 * this.#size + 1000) this.#cut();
  }

  drawn(): readonly Drawn<K>[] {
    this.#cut();
    return this.#first;
  }

  #cut(): void {
    this.#first = this.#first.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, this.#size);
    if (this.#first.length === this.#size) this.#bound = this.#first.at(-1)?.order;
  }
}

/** Draws from keys with their texts. */
export function drawSmallest<K>(
  candidates: Iterable<readonly [key: K, text: string]>,
  size: number,
): readonly Drawn<K>[] {
  const draw = new Draw<K>(size);
  for (const [key, text] of candidates) draw.offer(key, placeInDraw(text));
  return draw.drawn();
}

/** Review reasons: misread, matched with the wrong record, or a confirmed report. */
export const SAMPLE_REASONS = {
  misread: "picture_unclear",
  mismatched: "wrong_subject",
  reported: "reported_problem",
} as const;

/** A row that may be drawn. `seed` comes from the seal that covers it, so it is unknown before the row is in the tree. */
export interface Candidate {
  readonly row: number;
  readonly seed: string;
}

/** Draws a random sample of rows by seed and row (see `Draw`). It changes little from night to night. */
export function drawSample(candidates: Iterable<Candidate>, size: number): number[] {
  const [sample = []] = drawSamples(candidates, size, [() => true]);
  return sample;
}

/** As `drawSample`, from the rows that each of `filters` lets through. */
export function drawSamples(
  candidates: Iterable<Candidate>,
  size: number,
  filters: readonly ((row: number) => boolean)[],
): number[][] {
  const draws = filters.map((isWanted) => ({ isWanted, draw: new Draw<number>(size) }));
  for (const { row, seed } of candidates) {
    const order = placeInDraw(`${seed}:${row}`);
    for (const { isWanted, draw } of draws) if (isWanted(row)) draw.offer(row, order);
  }
  return draws.map(({ draw }) =>
    draw
      .drawn()
      .map(({ key }) => key)
      .sort((a, b) => a - b),
  );
}

/** Latest review decision about an observation. */
export interface SampleReview {
  readonly decision: "verify" | "reject";
  readonly reason: string;
}

/** Evaluates a sample's reviews. A rejection for the reason `fault` counts as a mistake. */
export function sampleResult(
  rows: readonly number[],
  reviews: ReadonlyMap<number, SampleReview>,
  fault: string,
) {
  const results = rows.flatMap((row) => reviews.get(row) ?? []);
  const correct = results.filter(({ decision }) => decision === "verify").length;
  const wrong = results.filter(({ decision, reason }) => decision === "reject" && reason === fault).length;
  const reviewed = correct + wrong;
  const isKnown = reviewed >= PARAMETERS.samples.minimumReviewed;
  return {
    rows,
    reviewed, // judged right or wrong on the measured point
    correct, // reviewed and right
    /** Rejected for a reason unrelated to the measured point. */
    undecided: results.length - reviewed,
    precision: isKnown ? share(correct, reviewed) : null, // null while too few are reviewed
    interval: isKnown ? wilsonInterval(correct, reviewed) : null, // Wilson, 95 %
  };
}
