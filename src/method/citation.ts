import type { AcceptedState } from "../contract/citation/sentences.ts";
import type { PresenceKind } from "../contract/enums.ts";
import type { AsOf } from "./numbers.ts";
import { isIndependent } from "./standing/counting.ts";
import type { JudgedSighting, Sighting } from "./types.ts";

/** Returns sightings that are not rejected. All evidence counts are based on these. */
export function accepted<Seen extends Pick<Sighting, "verdict">>(sightings: readonly Seen[]): Seen[] {
  return sightings.filter(({ verdict }) => verdict !== "rejected");
}

/**
 * Returns the sightings by which a record or an asset is dated and aged: those that count as independent evidence, so that nobody
 * else can move these dates; while none counts, the accepted ones.
 */
export function datingEvidence<Seen extends Pick<Sighting, "verdict" | "setAside">>(
  sightings: readonly Seen[],
): readonly Seen[] {
  const counting = sightings.filter(isIndependent);
  return counting.length > 0 ? counting : accepted(sightings);
}

/** A physical citation: a sighting not rejected and observed by `asOf`. Coverage counts only these. */
export function isCitation({ verdict, day }: Pick<Sighting, "verdict" | "day">, asOf: AsOf): boolean {
  return verdict !== "rejected" && day <= asOf.day;
}

type Citable = Pick<JudgedSighting, "id" | "observer" | "observedAt" | "setAside" | "state">;

/** Evidence behind a citation of one record: its accepted sightings. */
export interface CitedEvidence {
  readonly accepted: number;
  readonly counted: number; // of these, sightings that count as independent evidence
  readonly observers: number; // independent observers: those of the sightings that count
  readonly states: Readonly<Record<AcceptedState, number>>;
  readonly first: number | null; // ms; null without accepted sightings
  readonly last: number | null;
  /** The most recent sighting; the highest row breaks ties. */
  readonly newest: {
    readonly id: number;
    readonly observedAt: number; // ms
    readonly kind: PresenceKind;
    readonly state: AcceptedState;
  } | null;
}

export const NOTHING_CITED: CitedEvidence = {
  accepted: 0,
  counted: 0,
  observers: 0,
  states: { provisional: 0, corroborated: 0, verified: 0 },
  first: null,
  last: null,
  newest: null,
};

/** Counts one record's accepted sightings and finds the newest. `kindOf` takes a row. */
export function citedEvidence(
  sightings: readonly Citable[],
  kindOf: (row: number) => PresenceKind,
): CitedEvidence {
  const observers = new Set<string>();
  const states = { ...NOTHING_CITED.states };
  let counted = 0;
  let first = Number.POSITIVE_INFINITY;
  let newest: (Citable & { readonly state: AcceptedState }) | undefined;
  for (const sighting of sightings) {
    if (!isAccepted(sighting)) continue;
    if (sighting.setAside === null) {
      counted += 1;
      observers.add(sighting.observer);
    }
    states[sighting.state] += 1;
    first = Math.min(first, sighting.observedAt);
    if (newest === undefined || isNewer(sighting, newest)) newest = sighting;
  }
  if (newest === undefined) return NOTHING_CITED;
  const { id, observedAt, state } = newest;
  return {
    accepted: states.provisional + states.corroborated + states.verified,
    counted,
    observers: observers.size,
    states,
    first,
    last: observedAt,
    newest: { id, observedAt, kind: kindOf(id), state },
  };
}

function isAccepted<S extends Citable>(sighting: S): sighting is S & { readonly state: AcceptedState } {
  return sighting.state !== "rejected";
}

/** Compares by day of observation; the higher row breaks ties. */
export function isNewer(
  a: Pick<Citable, "id" | "observedAt">,
  b: Pick<Citable, "id" | "observedAt">,
): boolean {
  return a.observedAt > b.observedAt || (a.observedAt === b.observedAt && a.id > b.id);
}
