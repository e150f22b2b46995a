import type { VerificationState } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import type { JudgedSighting, Sighting } from "../types.ts";
import { trustWeight } from "./trust.ts";

/** Fields of a sighting that determine its state. */
type Judgeable = Pick<Sighting, "asset" | "source" | "observer" | "day" | "verdict">;

/** A sighting and the first solar day on which it is corroborated; Infinity if never. */
export interface Corroboration<S extends Judgeable = Sighting> {
  readonly sighting: S;
  readonly from: number;
}

/**
 * Judges state and trust of each sighting, in input order. Pass only sightings observed by `as_of`, because later ones would
 * corroborate earlier ones. Sightings of many assets and records may be mixed.
 */
export function judge<S extends Judgeable>(
  sightings: readonly S[],
): (S & Pick<JudgedSighting, "state" | "trust">)[] {
  return corroborations(sightings).map(({ sighting, from }) => {
    const state = stateOf(sighting, from < Number.POSITIVE_INFINITY);
    return { ...sighting, state, trust: trustWeight(sighting.source, state) };
  });
}

/** A review takes precedence over corroboration (design 7). */
export function stateOf(sighting: Pick<Judgeable, "verdict">, corroborated: boolean): VerificationState {
  return sighting.verdict ?? (corroborated ? "corroborated" : "provisional");
}

/**
 * Returns when each sighting was first corroborated, in input order: another observer's sighting of the same asset, not
 * rejected, within 30 days before or after. The nearest one decides, so one pass in each direction is enough.
 */
export function corroborations<S extends Judgeable>(sightings: readonly S[]): Corroboration<S>[] {
  const entries = sightings.map((sighting) => ({ sighting, from: Number.POSITIVE_INFINITY }));
  const byAssetAndDay = entries
    .filter(({ sighting }) => sighting.verdict !== "rejected")
    .sort((a, b) => a.sighting.asset - b.sighting.asset || a.sighting.day - b.sighting.day);
  pairWithPassed(byAssetAndDay);
  pairWithPassed(byAssetAndDay.reverse());
  return entries;
}

function pairWithPassed(walk: readonly { readonly sighting: Judgeable; from: number }[]): void {
  let last: Judgeable | undefined;
  let other: Judgeable | undefined; // nearest earlier sighting by another observer
  for (const entry of walk) {
    const { sighting } = entry;
    if (last?.asset !== sighting.asset) other = undefined;
    else if (last.observer !== sighting.observer) other = last;
    if (other && Math.abs(other.day - sighting.day) <= PARAMETERS.verification.corroborationDays) {
      entry.from = Math.min(entry.from, Math.max(sighting.day, other.day));
    }
    last = sighting;
  }
}
