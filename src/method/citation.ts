import type { AsOf } from "./as-of.ts";
import type { Sighting } from "./types.ts";

/** A physical citation: a sighting not rejected and observed by `asOf`. All that coverage counts. */
export function isCitation({ verdict, observedAt, day }: Sighting, asOf: AsOf): boolean {
  return verdict !== "rejected" && observedAt <= asOf.ms && day <= asOf.day;
}
