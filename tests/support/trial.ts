/**
 * How much of the long runs a test run takes. `npm test` makes two per cent of the kills, fuzzed requests, deliveries and nights, drawn by a
 * fixed seed; `npm run trial` makes them all (`vitest --mode trial`).
 */
import { inject } from "vitest";
import { sha256Hex } from "../../src/kernel/hash.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether this is the long form; vitest.config.ts sets it. */
    trial: boolean;
  }
}

export const isTrial = inject("trial");

const SHARE = 0.02;

/** How many of `all` repetitions this run makes; at least `min`, which is what one kind of each needs. */
export function repetitions(all: number, min = 1): number {
  return isTrial ? all : Math.max(min, Math.round(all * SHARE));
}

/** Of kinds that `npm run trial` tries all: the share that `npm test` tries, drawn by their names. */
export function sampleOf(kinds: readonly string[], share: number): readonly string[] {
  if (isTrial) return kinds;
  const drawn = kinds.toSorted((a, b) => (sha256Hex(a) < sha256Hex(b) ? -1 : 1));
  return drawn.slice(0, Math.ceil(kinds.length * share));
}

/** Of cases that `npm run trial` tries all: one of each kind. */
export function oneOfEach<T>(cases: readonly T[], kindOf: (one: T) => string): readonly T[] {
  return isTrial ? cases : [...new Map(cases.map((one) => [kindOf(one), one])).values()];
}
