import type { AsOf } from "./as-of.ts";
import type { Sighting } from "./types.ts";

/** Rejected sightings stay listed and count for nothing: every number about evidence is of these. */
export function accepted<Seen extends Pick<Sighting, "verdict">>(sightings: readonly Seen[]): Seen[] {
  return sightings.filter(({ verdict }) => verdict !== "rejected");
}

/** A physical citation: a sighting not rejected and observed by `asOf`. All that coverage counts. */
export function isCitation({ verdict, observedAt, day }: Sighting, asOf: AsOf): boolean {
  return verdict !== "rejected" && observedAt <= asOf.ms && day <= asOf.day;
}
