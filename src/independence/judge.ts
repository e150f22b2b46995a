import { findBursts, findRings } from "./checks/collusion.ts";
import { exactCopy, findCopiedPublic, nearMedia, sameLook, sameMedia } from "./checks/copies.ts";
import {
  affiliated,
  cannotSee,
  clock,
  hasOwnTime,
  type RowCheck,
  type RowTest,
  suspended,
} from "./checks/rows.ts";
import { findCoTravel, impossibleTravel, setAsideFollowers } from "./checks/travel.ts";
import { findStandings, type Standing } from "./standing.ts";
import type { CheckCode, EnteringTrace, Judgement, Registry, ReviewItem, Trace } from "./trace.ts";

/** Checks whose findings go to the reviewers by observer, beside those that raise items of their own. */
const LISTED: ReadonlySet<CheckCode> = new Set([
  "cannot_see",
  "clock",
  "exact_copy",
  "same_media",
  "near_media",
  "impossible_travel",
]);

/** Reasons so far, of one run over all traces. */
class Verdicts {
  readonly reasons = new Map<number, CheckCode>();
  readonly traces: readonly Trace[];

  constructor(traces: readonly Trace[]) {
    this.traces = traces;
  }

  /** Rows that nothing sets aside yet. */
  counted(): readonly Trace[] {
    return this.traces.filter(({ row }) => !this.reasons.has(row));
  }

  set({ row }: Pick<Trace, "row">, reason: CheckCode): void {
    if (!this.reasons.has(row)) this.reasons.set(row, reason);
  }

  /** Rows that count but for standing. */
  believed(): readonly Trace[] {
    return this.traces.filter(({ row }) => {
      const reason = this.reasons.get(row);
      return reason === undefined || reason === "not_established";
    });
  }
}

function applyRowChecks(verdicts: Verdicts, registry: Registry): void {
  const checks = new RowChecks(registry);
  for (const trace of verdicts.traces) {
    const reason = checks.take(trace, trace.isRestored);
    if (reason !== undefined) verdicts.set(trace, reason);
  }
}

function applyTravel(verdicts: Verdicts): void {
  const restored = new Set(verdicts.traces.filter(({ isRestored }) => isRestored).map(({ row }) => row));
  const sightings = new Map<string, Trace[]>();
  for (const trace of verdicts.counted().filter(hasOwnTime)) {
    const known = sightings.get(trace.observer);
    if (known === undefined) sightings.set(trace.observer, [trace]);
    else known.push(trace);
  }
  for (const ofObserver of sightings.values()) {
    for (const sighting of impossibleTravel(ofObserver)) {
      if (!restored.has(sighting.row)) verdicts.set(sighting, "impossible_travel");
    }
  }
}

function itemsByObserver(verdicts: Verdicts): readonly ReviewItem[] {
  const found = new Map<string, { check: CheckCode; observer: string; traces: Trace[] }>();
  for (const trace of verdicts.traces) {
    const check = verdicts.reasons.get(trace.row);
    if (check === undefined || !LISTED.has(check)) continue;
    const key = `${check} ${trace.observer}`;
    const known = found.get(key) ?? { check, observer: trace.observer, traces: [] };
    found.set(key, known);
    known.traces.push(trace);
  }
  return [...found.values()].map(({ check, observer, traces }) => ({
    check,
    record: onlyRecord(traces),
    observers: [observer],
    rows: traces.map(({ row }) => row),
  }));
}

function onlyRecord(traces: readonly Trace[]): number | null {
  const records = new Set(traces.map(({ record }) => record));
  const [record] = records;
  return records.size === 1 && record !== undefined ? record : null;
}

/** What the two last steps need of the ones before. */
interface Established {
  readonly standings: ReadonlyMap<string, Standing>;
  readonly discoverers: ReadonlySet<string>;
  readonly items: readonly ReviewItem[];
}

/** Co-travel and standing: followers earn no standing, and only established leaders set followers aside. */
function applyStanding(verdicts: Verdicts, registry: Registry): Established {
  const counted = verdicts.counted();
  const { followings, items } = findCoTravel(counted);
  const { standings, discoverers } = findStandings(counted, registry, {
    setAside: new Set(followings.flatMap(({ meetings }) => meetings.map(({ row }) => row.row))),
    followerSince: firstRows(followings),
  });
  const setAside = setAsideFollowers(
    followings,
    counted,
    (principal) => standings.get(principal)?.row ?? Infinity,
  );
  for (const trace of counted) {
    if (setAside.has(trace.row) && !trace.isRestored) verdicts.set(trace, "co_travel");
    if (!standings.has(trace.principal)) verdicts.set(trace, "not_established");
  }
  return { standings, discoverers, items };
}

function firstRows(
  followings: readonly { readonly follower: string; readonly sinceRow: number }[],
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { follower, sinceRow } of followings) {
    first.set(follower, Math.min(sinceRow, first.get(follower) ?? Infinity));
  }
  return first;
}

function applyBursts(verdicts: Verdicts, { standings }: Established): readonly ReviewItem[] {
  const bursts = findBursts(verdicts.counted(), standings);
  for (const { setAside } of bursts) for (const trace of setAside) verdicts.set(trace, "burst");
  return bursts.map(({ item }) => item);
}

/**
 * Judges all traces of all cities as known on `day` (UTC, ms); rows accepted later are ignored. Deterministic. Traces are in
 * the order of their rows.
 *
 * A row restored by a review passes every check, but neither suspension, affiliation nor standing: these say who the
 * observer is, not whether the row is sound. No row is set aside through rows of other principals that entered after the
 * last row of its own observer.
 */
export function judge(traces: readonly Trace[], registry: Registry, day: number): Judgement {
  const verdicts = new Verdicts(traces.filter(({ acceptedDay }) => acceptedDay <= day));
  applyRowChecks(verdicts, registry);
  applyTravel(verdicts);
  const established = applyStanding(verdicts, registry);
  const bursts = applyBursts(verdicts, established);
  const { standings, discoverers } = established;
  return {
    setAside: verdicts.reasons,
    established: new Map([...standings].map(([principal, standing]) => [principal, standing.day])),
    items: [
      ...itemsByObserver(verdicts),
      ...established.items,
      ...bursts,
      ...findRings(verdicts.believed(), registry),
      ...findCopiedPublic(verdicts.believed(), (principal) => standings.has(principal), discoverers),
    ],
  };
}

/** In the order in which they are tried. */
export const ROW_CHECKS: readonly RowCheck[] = [
  suspended,
  affiliated,
  cannotSee,
  clock,
  exactCopy,
  sameMedia,
  nearMedia,
  sameLook,
];

/** Facts of the registry, which a review of a row does not change. */
const REGISTERED: ReadonlySet<CheckCode> = new Set([suspended.code, affiliated.code]);

/** All checks that judge rows by the rows before them. Sees every row, in the order of entry. */
export class RowChecks {
  readonly #tests: readonly { readonly code: CheckCode; readonly test: RowTest }[];

  constructor(registry: Registry) {
    this.#tests = ROW_CHECKS.map(({ code, start }) => ({ code, test: start(registry) }));
  }

  /** The first check that sets the row aside. A restored row passes all but the facts of the registry. */
  take(trace: EnteringTrace, isRestored: boolean): CheckCode | undefined {
    let reason: CheckCode | undefined;
    for (const { code, test } of this.#tests) {
      const applies = test(trace, reason !== undefined) && (!isRestored || REGISTERED.has(code));
      if (applies) reason ??= code;
    }
    return reason;
  }
}
