/**
 * How much of the long runs a test run takes. `npm test` makes two per cent of the kills, fuzzed requests, deliveries and nights, drawn by a
 * fixed seed; `npm run trial` makes them all (`vitest --mode trial`).
 */
import { inject } from "vitest";

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
