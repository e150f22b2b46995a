import type {
  AssetType,
  GateStatus,
  IndustryState,
  MissingRequirement,
  SetAsideReason,
  SourceType,
  VerificationState,
} from "../../contract/enums.ts";
import { type AsOf, PARAMETERS, withinDays } from "../numbers.ts";
import type { Industry, Sighting } from "../types.ts";

/** Weight of one observation, 0..1 with three decimals: source weight times state weight (design 7). */
export function trustWeight(source: SourceType, state: VerificationState): number {
  return Math.round(PARAMETERS.trust.source[source] * PARAMETERS.trust.state[state] * 1000) / 1000;
}

/** Counts keys in a moving window. The owner adds entering and removes leaving keys. */
export class Counter<K> {
  readonly #counts = new Map<K, number>();

  /** Returns the key's new count; 1 for a new key. */
  add(key: K): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** Returns the key's new count; 0 when it leaves the window. The key must be present. */
  remove(key: K): number {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }

  get distinct(): number {
    return this.#counts.size;
  }

  keys(): Iterable<K> {
    return this.#counts.keys();
  }
}

/** What decides whether an observation counts as independent evidence, as far as public data tell. */
export interface IndependenceFacts {
  readonly source: SourceType;
  readonly assetType: AssetType;
  readonly counts: boolean; // as its row says, or the last row about it
}

/** The reason why an observation is set aside: the check of public data first. Null for one that counts. */
export function setAsideReason({ source, assetType, counts }: IndependenceFacts): SetAsideReason | null {
  if (!canSee(source, assetType)) return "source_cannot_see";
  return counts ? null : "private_trace";
}

/** Whether a source of that type can plausibly see an asset of that type. */
export function canSee(source: SourceType, assetType: AssetType): boolean {
  return assetType === "vehicle_wrap" || PARAMETERS.independence.seesFixed[source] === 1;
}

/** Whether a sighting is independent evidence: not rejected, and not set aside. */
export function isIndependent({ verdict, setAside }: Pick<Sighting, "verdict" | "setAside">): boolean {
  return verdict !== "rejected" && setAside === null;
}

/** Distinct counts over one record's countable sightings: the inputs of gate and score, except times. */
export interface EvidenceCounts extends EvidenceSize {
  readonly observations: number;
  readonly days: number;
  /** Of these, the ones that temporary signs alone do not account for. */
  readonly lasting: EvidenceSize;
}

export interface EvidenceSize {
  readonly observers: number;
  readonly cells: number; // cells of resolution 8: those of mobile assets say only the city
  readonly assets: number;
}

/** Whether a sighting shows more than a temporary sign, whose presence kind is `brand_mention`. */
export function isLasting({ assetType }: Pick<Sighting, "assetType">): boolean {
  return assetType !== "temp_sign";
}

/** Returns the countable sightings of one record, ordered by day: independent, observed by `asOf`, in the window W. */
export function countable<S extends Sighting>(sightings: readonly S[], asOf: AsOf): S[] {
  return independent(sightings.filter(({ day }) => withinDays(day, asOf, PARAMETERS.window.days)));
}

/**
 * Returns one accepted sighting that counts per observer and day of one record, ordered by day: the lowest row, of a temporary
 * sign only where the observer saw nothing else of the record that day.
 */
export function independent<S extends Sighting>(sightings: readonly S[]): S[] {
  const accepted = sightings.filter(isIndependent);
  accepted.sort((a, b) => a.day - b.day || Number(isLasting(b)) - Number(isLasting(a)) || a.id - b.id);
  const seenToday = new Set<string>();
  let today: number | undefined;
  return accepted.filter(({ day, observer }) => {
    if (day !== today) seenToday.clear();
    today = day;
    if (seenToday.has(observer)) return false;
    seenToday.add(observer);
    return true;
  });
}

export function countEvidence(sightings: readonly Sighting[]): EvidenceCounts {
  const window = new EvidenceWindow();
  for (const sighting of sightings) window.add(sighting);
  return window;
}

/** Counts over a moving window. The owner adds entering and removes leaving sightings. */
export class EvidenceWindow implements EvidenceCounts {
  readonly lasting = new SizeWindow();
  readonly #all = new SizeWindow();
  readonly #days = new Counter<number>();
  #observations = 0;

  add(sighting: Sighting): void {
    this.#all.add(sighting);
    if (isLasting(sighting)) this.lasting.add(sighting);
    this.#days.add(sighting.day);
    this.#observations += 1;
  }

  remove(sighting: Sighting): void {
    this.#all.remove(sighting);
    if (isLasting(sighting)) this.lasting.remove(sighting);
    this.#days.remove(sighting.day);
    this.#observations -= 1;
  }

  get observations(): number {
    return this.#observations;
  }
  get days(): number {
    return this.#days.distinct;
  }
  get observers(): number {
    return this.#all.observers;
  }
  get cells(): number {
    return this.#all.cells;
  }
  get assets(): number {
    return this.#all.assets;
  }
}

class SizeWindow implements EvidenceSize {
  readonly #observers = new Counter<string>();
  readonly #cells = new Counter<string>();
  readonly #assets = new Counter<number>();

  add({ observer, cell, fine, asset }: Sighting): void {
    this.#observers.add(observer);
    if (fine) this.#cells.add(cell);
    this.#assets.add(asset);
  }

  remove({ observer, cell, fine, asset }: Sighting): void {
    this.#observers.remove(observer);
    if (fine) this.#cells.remove(cell);
    this.#assets.remove(asset);
  }

  get observers(): number {
    return this.#observers.distinct;
  }
  get cells(): number {
    return this.#cells.distinct;
  }
  get assets(): number {
    return this.#assets.distinct;
  }
}

export interface Requirement {
  readonly current: number;
  readonly required: number;
  readonly met: boolean;
}

/** The ranking gate of a record (interface 2.3). `missing` is empty if and only if the status is `eligible`. */
export interface Gate {
  readonly status: GateStatus;
  readonly observers: Requirement;
  readonly observations: Requirement;
  readonly days: Requirement;
  readonly missing: readonly MissingRequirement[];
}

/**
 * The last solar day on which these sightings, all of them independent, meet the gate's counts: time alone takes them out of the
 * window. Undefined where they never do.
 */
export function countsHoldUntil(
  independent: readonly Pick<Sighting, "day" | "observer">[],
): number | undefined {
  const { gate, window } = PARAMETERS;
  const newestFirst = independent.toSorted((a, b) => b.day - a.day);
  const nth = (count: number, key: (sighting: Pick<Sighting, "day" | "observer">) => string) => {
    const seen = new Set<string>();
    return newestFirst.find((sighting) => seen.add(key(sighting)).size === count)?.day;
  };
  const last = [
    nth(gate.observers, ({ observer }) => observer),
    nth(gate.observations, ({ day, observer }) => `${day} ${observer}`),
    nth(gate.days, ({ day }) => String(day)),
  ].reduce((least, day) => (least === undefined || day === undefined ? undefined : Math.min(least, day)));
  return last === undefined ? undefined : last + window.days - 1;
}

/** Computes the gate from one record's countable sightings. `flagged`: a review flagged the record. */
export function rankingGate(countable: readonly Sighting[], industry: Industry, flagged: boolean): Gate {
  return gateOf(countEvidence(countable), industry, flagged);
}

export function gateOf(counts: EvidenceCounts, industry: Industry, flagged: boolean): Gate {
  const { gate } = PARAMETERS;
  const observers = requirement(counts.observers, gate.observers);
  const observations = requirement(counts.observations, gate.observations);
  const days = requirement(counts.days, gate.days);
  const missing: MissingRequirement[] = [];
  if (!observers.met) missing.push("independent_observers");
  if (!observations.met) missing.push("independent_observations");
  if (!days.met) missing.push("observation_days");
  if (!industry.authoritative) missing.push("industry_classification_review");
  if (flagged) missing.push("integrity_review");
  const status = flagged ? "integrity_review" : missing.length === 0 ? "eligible" : "evidence_building";
  return { status, observers, observations, days, missing };
}

/** The gate of a dissolved or merged record, which keeps its counts but is never ranked. */
export function outsideRanking(gate: Gate): Gate {
  return { ...gate, status: "outside_ranking", missing: [...gate.missing, "active_record"] };
}

/** Published state of an industry classification. A name rule stays under review until a reviewer decides. */
export function industryState({ method }: Industry): IndustryState {
  return method === "name_rule" ? "review" : method;
}

function requirement(current: number, required: number): Requirement {
  return { current, required, met: current >= required };
}

interface Reasoned {
  readonly gate: Gate;
  readonly rank: number | undefined;
  readonly cohortSize: number;
  readonly isCounted: boolean; // something of the record counts as independent evidence
}

/** Explains in one sentence why a record is ranked or not. */
export function rankingReason({ gate, rank, cohortSize, isCounted }: Reasoned): string {
  if (gate.status === "outside_ranking") return OUTSIDE_RANKING;
  if (gate.status === "integrity_review") return FLAGGED;
  if (gate.status === "evidence_building")
    return `Not ranked yet: ${isCounted ? "" : NOTHING_COUNTS}${missingText(gate)}.`;
  if (rank === undefined) {
    return `Eligible but not ranked yet: the city has ${cohortSize} eligible records, and a ranking needs ${PARAMETERS.cohort.minimum}.`;
  }
  return `Rank ${rank} among ${cohortSize} eligible records of the city.`;
}

const NOTHING_COUNTS = "its observations do not count as independent evidence yet, ";

const OUTSIDE_RANKING = "Not ranked: the record is dissolved or merged into another.";

const FLAGGED = "Not ranked: a reviewer flagged the evidence for an integrity review.";

function missingText(gate: Gate): string {
  const { observers, observations, days } = gate;
  const texts: Record<MissingRequirement, string> = {
    independent_observers: `${observers.current} of ${observers.required} independent observers`,
    independent_observations: `${observations.current} of ${observations.required} countable observations`,
    observation_days: `${days.current} of ${days.required} observation days`,
    industry_classification_review: "the industry classification awaits review",
    integrity_review: "the observations await an integrity review",
    active_record: "the record is not active",
  };
  return gate.missing.map((requirement) => texts[requirement]).join(", ");
}
