import type { VerificationState } from "../../contract/enums.ts";
import { PARAMETERS, share } from "../numbers.ts";
import type { JudgedSighting, Sighting } from "../types.ts";
import { Counter, isIndependent, trustWeight } from "./counting.ts";

// 97.5 % quantile of the standard normal distribution, for a 95 % interval.
const Z = 1.959964;

/** Wilson's 95 % interval for a share (Wilson 1927), to four decimals. Throws RangeError unless 0 <= hits <= trials and there is a trial. */
export function wilsonInterval(
  hits: number,
  trials: number,
): { readonly low: number; readonly high: number } {
  if (trials < 1 || hits < 0 || hits > trials)
    throw new RangeError(`${hits} hits of ${trials} trials have no share`);
  const observed = hits / trials;
  const z2 = Z * Z;
  const middle = observed + z2 / (2 * trials);
  const reach = Z * Math.sqrt((observed * (1 - observed)) / trials + z2 / (4 * trials * trials));
  const whole = 1 + z2 / trials;
  return {
    low: Math.max(0, share(middle - reach, whole)),
    high: Math.min(1, share(middle + reach, whole)),
  };
}

/** Fields of a sighting that determine its state. */
type Judgeable = Pick<Sighting, "asset" | "source" | "observer" | "day" | "verdict" | "setAside">;

/** A sighting and the first solar day on which it is corroborated; Infinity if never. */
export interface Corroboration<S extends Judgeable = Sighting> {
  readonly sighting: S;
  readonly from: number;
}

/**
 * Judges each sighting, in input order. Pass only sightings observed by `as_of`, because later ones would
 * corroborate earlier ones. Sightings of many assets and records may be mixed.
 */
export function judge<S extends Judgeable>(
  sightings: readonly S[],
): (S & Pick<JudgedSighting, "state" | "trust" | "corroboratedFrom">)[] {
  return corroborations(sightings).map(({ sighting, from }) => {
    const state = stateOf(sighting, from < Number.POSITIVE_INFINITY);
    return { ...sighting, state, trust: trustWeight(sighting.source, state), corroboratedFrom: from };
  });
}

/** A review takes precedence over corroboration (design 7). */
export function stateOf(sighting: Pick<Judgeable, "verdict">, corroborated: boolean): VerificationState {
  return sighting.verdict ?? (corroborated ? "corroborated" : "provisional");
}

/**
 * Returns when each sighting was first corroborated, in input order: another principal's sighting of the same asset within 30
 * days before or after. Rejected sightings and those set aside neither corroborate nor are corroborated. The nearest one decides, so one pass in each direction is enough.
 */
export function corroborations<S extends Judgeable>(sightings: readonly S[]): Corroboration<S>[] {
  const entries = sightings.map((sighting) => ({ sighting, from: Number.POSITIVE_INFINITY }));
  const byAssetAndDay = entries
    .filter(({ sighting }) => isIndependent(sighting))
    .sort((a, b) => a.sighting.asset - b.sighting.asset || a.sighting.day - b.sighting.day);
  pairWithPassed(byAssetAndDay);
  pairWithPassed(byAssetAndDay.reverse());
  return entries;
}

/**
 * Returns the only principal whose sightings corroborate a sighting, by row; rows that none or several corroborate are left out.
 * A window of days moves over the sightings of each asset, so the work does not depend on the number of principals.
 */
export function soleCorroborators(
  sightings: readonly (Judgeable & Pick<Sighting, "id">)[],
): Map<number, string> {
  const found = new Map<number, string>();
  for (const seen of Map.groupBy(sightings.filter(isIndependent), ({ asset }) => asset).values()) {
    const observersNear = slidingObservers(seen.sort((a, b) => a.day - b.day));
    for (const { id, day, observer } of seen) {
      const near = observersNear(day);
      const others = near.distinct === 2 ? [...near.keys()] : [];
      const other = others.find((name) => name !== observer);
      if (other !== undefined) found.set(id, other);
    }
  }
  return found;
}

/** Returns the observers of one asset's sightings, ordered by day, near a day. Ask for ascending days. */
function slidingObservers(byDay: readonly Judgeable[]): (day: number) => Counter<string> {
  const reach = PARAMETERS.verification.corroborationDays;
  const near = new Counter<string>();
  let entered = 0;
  let left = 0;
  return (day) => {
    for (let next = byDay[entered]; next && next.day <= day + reach; next = byDay[entered]) {
      near.add(next.observer);
      entered += 1;
    }
    for (let first = byDay[left]; first && first.day < day - reach; first = byDay[left]) {
      near.remove(first.observer);
      left += 1;
    }
    return near;
  };
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
