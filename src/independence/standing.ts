import { BUILT_IN } from "../contract/fields.ts";
import { DAY_MS } from "../kernel/time.ts";
import { INDEPENDENCE } from "./parameters.ts";
import { isWithin, type Registry, type Trace } from "./trace.ts";

const rule = INDEPENDENCE.standing;
const CONFIRM_MS = rule.confirmDays * DAY_MS;
const CONFIRMER_MS = rule.confirmerDays * DAY_MS;
const GRACE_MS = rule.graceDays * DAY_MS;

/** Since when a principal is established. */
export interface Standing {
  /** UTC day, in ms; 0 where the principal was vouched for or is collective. */
  readonly day: number;
  /** The row that established it; 0 likewise. */
  readonly row: number;
  /** True where its own history established it. */
  readonly isEarned: boolean;
}

const GIVEN: Standing = { day: 0, row: 0, isEarned: false };

/** Who confirms a discovery: a registered collective source is enough by itself. */
interface Confirmer {
  readonly principal: string;
  readonly isSufficient: boolean;
}

/** What one principal has shown so far. */
class History {
  readonly #verifiedRecords = new Set<number>();
  readonly #isTrusted: boolean; // by its samples
  readonly #confirmers = new Map<number, Map<string, Confirmer>>(); // by record
  readonly #cells = new Set<string>();
  readonly #days = new Set<number>();

  /** `isTrusted`: whether reviewers rejected so few of its samples that the verified ones speak for the others. */
  constructor(isTrusted: boolean) {
    this.#isTrusted = isTrusted;
  }

  verify(record: number): void {
    this.#verifiedRecords.add(record);
  }

  confirm(discovery: Trace, confirmer: Confirmer): void {
    const known = this.#confirmers.get(discovery.record) ?? new Map<string, Confirmer>();
    this.#confirmers.set(discovery.record, known.set(confirmer.principal, confirmer));
    this.#cells.add(discovery.cell);
    this.#days.add(discovery.acceptedDay);
  }

  hasConfirmedDiscovery(): boolean {
    return this.#confirmers.size > 0;
  }

  isSufficient(): boolean {
    if (this.#isTrusted && this.#verifiedRecords.size >= rule.verifiedRecords) return true;
    const isSpread =
      this.#confirmers.size >= rule.records && this.#cells.size >= rule.cells && this.#days.size >= rule.days;
    return isSpread && this.#hasIndependentConfirmers();
  }

  /** Two friends must not be able to establish a third: no single confirmer may carry the discoveries. */
  #hasIndependentConfirmers(): boolean {
    const confirmers = new Map([...this.#confirmers.values()].flatMap((known) => [...known]));
    if ([...confirmers.values()].some(({ isSufficient }) => isSufficient)) return true;
    if (confirmers.size < rule.confirmers) return false;
    return [...confirmers.keys()].every(
      (one) => this.#recordsWithout(one) >= rule.recordsWithoutOneConfirmer,
    );
  }

  #recordsWithout(principal: string): number {
    return [...this.#confirmers.values()].filter((known) => known.size > (known.has(principal) ? 1 : 0))
      .length;
  }
}

interface Discovery {
  readonly trace: Trace;
  readonly confirmers: Set<string>;
  /** True where the asset was public already: only who was there agrees with others on its exact place. */
  readonly mustAgree: boolean;
}

/** The rows about one asset that can confirm each other, while they can. */
interface AssetRows {
  discoveries: Discovery[];
  knownOn?: number; // UTC day (ms) of the first row of an established principal
  readonly firstLookers: Map<string, Confirmer>; // established, on the days on which the asset was not public
}

/** What may not earn standing: rows set aside (those about a principal's own records among them), and all of an observer that follows another, from some row on. */
export interface StandingLimits {
  readonly setAside: ReadonlySet<number>;
  readonly followerSince: ReadonlyMap<string, number>;
}

/**
 * Goes through all rows in the order of entry. A confirming row counts only where its principal was established when it
 * entered, so later rows never change what was earned, and nothing has to be repeated until it is stable.
 */
class StandingRun {
  readonly standings: Map<string, Standing>;
  readonly histories = new Map<string, History>();
  readonly #assets = new Map<number, AssetRows>();
  readonly #samples: ReadonlyMap<string, Samples>;
  readonly #limits: StandingLimits;

  constructor(traces: readonly Trace[], registry: Registry, limits: StandingLimits) {
    this.standings = givenStandings(traces, registry);
    this.#samples = countSamples(traces);
    this.#limits = limits;
  }

  take(trace: Trace): void {
    if (trace.verdict === "rejected" || this.#limits.setAside.has(trace.row)) return;
    if (trace.verdict === "verified") this.#verify(trace);
    if (trace.assetType !== "vehicle_wrap") this.#look(trace);
  }

  #verify(trace: Trace): void {
    this.#historyOf(trace.principal).verify(trace.record);
    this.#establish(trace.principal, trace);
  }

  /**
   * Vehicles are left out: that a brand's vans drive about can be known without going out. A discovery is blind: the asset
   * was not public when the row was accepted, so copying what is published earns nothing. Rows of principals without
   * standing end this only after some days, so that nobody keeps newcomers from earning theirs by reporting faster.
   */
  #look(trace: Trace): void {
    const rows: AssetRows = this.#assets.get(trace.asset) ?? { discoveries: [], firstLookers: new Map() };
    this.#assets.set(trace.asset, rows);
    const isBlind = trace.acceptedDay <= trace.assetPublishedDay;
    const isNearlyBlind = isBlind || isKnownLatelyOnly(trace, rows);
    if (this.standings.has(trace.principal)) rows.knownOn ??= trace.acceptedDay;
    const confirmer = this.#confirmerOf(trace);
    if (confirmer !== undefined) {
      this.#confirm(rows, confirmer, trace);
      if (isBlind) rows.firstLookers.set(confirmer.principal, confirmer);
    }
    if (isNearlyBlind && !trace.isCollective && !this.#isFollower(trace))
      this.#discover(rows, { trace, confirmers: new Set(), mustAgree: !isBlind });
  }

  #discover(rows: AssetRows, discovery: Discovery): void {
    const { trace } = discovery;
    if (rows.discoveries.some((other) => other.trace.principal === trace.principal)) return;
    rows.discoveries.push(discovery);
    if (discovery.mustAgree) return; // confirmed by later rows only
    for (const confirmer of rows.firstLookers.values()) this.#confirm(rows, confirmer, trace);
  }

  #confirm(rows: AssetRows, confirmer: Confirmer, at: Trace): void {
    if (rows.discoveries.length === 0) return;
    rows.discoveries = rows.discoveries.filter(
      ({ trace }) => at.acceptedDay - trace.acceptedDay <= CONFIRM_MS,
    );
    for (const { trace, confirmers, mustAgree } of rows.discoveries) {
      if (trace.principal === confirmer.principal || confirmers.has(confirmer.principal)) continue;
      if (mustAgree && !isWithin(rule.agreeMeters, trace, at)) continue;
      confirmers.add(confirmer.principal);
      this.#historyOf(trace.principal).confirm(trace, confirmer);
      this.#establish(trace.principal, at, trace);
    }
  }

  #establish(principal: string, at: Trace, discovery: Trace = at): void {
    if (this.standings.has(principal) || isDistrusted(this.#samples.get(principal))) return;
    if (discovery !== at && this.#isFollower({ observer: discovery.observer, row: at.row })) return;
    if (!this.#historyOf(principal).isSufficient()) return;
    this.standings.set(principal, { day: at.acceptedDay, row: at.row, isEarned: true });
  }

  #isFollower({ observer, row }: Pick<Trace, "observer" | "row">): boolean {
    return (this.#limits.followerSince.get(observer) ?? Infinity) <= row;
  }

  /** A principal that earned its standing confirms others only after a while, so puppets multiply slowly. */
  #confirmerOf(trace: Trace): Confirmer | undefined {
    const standing = this.standings.get(trace.principal);
    if (standing === undefined) return undefined;
    if (standing.isEarned && trace.acceptedDay < standing.day + CONFIRMER_MS) return undefined;
    const isSufficient = trace.isCollective && trace.source !== BUILT_IN;
    return { principal: trace.principal, isSufficient };
  }

  #historyOf(principal: string): History {
    const known = this.histories.get(principal);
    if (known !== undefined) return known;
    const history = new History(isTrusted(this.#samples.get(principal)));
    this.histories.set(principal, history);
    return history;
  }
}

/** Whether only rows without standing, of the last days, told of the asset. */
function isKnownLatelyOnly({ acceptedDay, assetPublishedDay }: Trace, { knownOn }: AssetRows): boolean {
  return acceptedDay <= assetPublishedDay + GRACE_MS && (knownOn === undefined || acceptedDay <= knownOn);
}

function givenStandings(traces: readonly Trace[], registry: Registry): Map<string, Standing> {
  const standings = new Map<string, Standing>();
  for (const { principal, isVouched, isSuspended } of registry.observers.values()) {
    if (isVouched && !isSuspended) standings.set(principal, GIVEN);
  }
  for (const { principal, isCollective } of traces) if (isCollective) standings.set(principal, GIVEN);
  return standings;
}

/** What reviewers said about the rows of one principal. */
interface Samples {
  rejected: number;
  verified: number;
}

function countSamples(traces: readonly Trace[]): ReadonlyMap<string, Samples> {
  const counts = new Map<string, Samples>();
  for (const { principal, verdict } of traces) {
    if (verdict === undefined) continue;
    const count = counts.get(principal) ?? { rejected: 0, verified: 0 };
    counts.set(principal, count);
    count[verdict]++;
  }
  return counts;
}

/** Rejected repeatedly, and more often than verified: nothing establishes such a principal. */
function isDistrusted(samples: Samples | undefined): boolean {
  return (
    samples !== undefined && samples.rejected >= rule.rejectedRows && samples.rejected > samples.verified
  );
}

/** Who invents rows has a part of them believed: verified samples establish only where hardly any was rejected. */
function isTrusted(samples: Samples | undefined): boolean {
  return samples === undefined || samples.rejected * rule.verifiedPerRejected <= samples.verified;
}

export interface StandingResult {
  readonly standings: ReadonlyMap<string, Standing>;
  /** Principals with at least one confirmed discovery. */
  readonly discoverers: ReadonlySet<string>;
}

/**
 * Which principals are established, and since when: by the operator's word, as a collective source, by verified samples, or
 * by discoveries that established others confirmed.
 */
export function findStandings(
  traces: readonly Trace[],
  registry: Registry,
  limits: StandingLimits,
): StandingResult {
  const run = new StandingRun(traces, registry, limits);
  for (const trace of traces) run.take(trace);
  const discoverers = [...run.histories].filter(([, history]) => history.hasConfirmedDiscovery());
  return { standings: run.standings, discoverers: new Set(discoverers.map(([principal]) => principal)) };
}
