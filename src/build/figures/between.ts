/** What happened between two releases, as far as their figures say it: which rows of the ledger explain what differs. */
import type { RecordPart } from "../../contract/service/exports.ts";
import { type CityFigures, observationsOf, type RecordFigures, type ReleaseFigures } from "./figures.ts";

/** A row that changed what an older one says. */
export interface ChangeRow {
  readonly row: number;
  readonly change: string; // see `Change` of the snapshot
}

/** Rules found these in later lines: nobody decided them. */
const FOUND_BY_RULE: ReadonlySet<string> = new Set(["recount", "naming"]);
/** Steps of a city that change what is published of it. */
const CITY_DECISIONS: ReadonlySet<string> = new Set([
  "register",
  "outline",
  "review",
  "publish",
  "unpublish",
]);

/** All that tells the two releases apart for one record. */
export interface RecordPair {
  readonly city: string; // slug
  readonly was: RecordFigures | undefined;
  readonly is: RecordFigures | undefined;
}

export class Between {
  readonly before: ReleaseFigures;
  readonly after: ReleaseFigures;
  /** Whether digests and figures mean the same on both sides. */
  readonly hasSameVersion: boolean;
  readonly #changes: ReadonlyMap<number, ChangeRow[]>; // by target, those that only the later release knows
  readonly #erased: ReadonlyMap<number, number>; // by row the one that erased it, of those that only the later release knows
  readonly #merged: ReadonlyMap<string, string>;
  #known: ReadonlySet<number> | undefined;
  #shown: ReadonlySet<number> | undefined;

  constructor(before: ReleaseFigures, after: ReleaseFigures) {
    this.before = before;
    this.after = after;
    this.hasSameVersion = before.version === after.version;
    const later = after.changes.filter(([row]) => row > before.last_sealed_row);
    const byTarget = Map.groupBy(later, ([, target]) => target);
    this.#changes = new Map(
      [...byTarget].map(([target, rows]) => [target, rows.map(([row, , change]) => ({ row, change }))]),
    );
    const erasedBefore = new Set(before.withdrawn.map(([row]) => row));
    this.#erased = new Map(after.withdrawn.filter(([row]) => !erasedBefore.has(row)));
    this.#merged = new Map(after.merged);
  }

  /** Every record of either release, by city and public id. A record keeps its city. */
  pairs(): RecordPair[] {
    const cities = new Set([...this.before.cities, ...this.after.cities].map(({ city }) => city));
    return [...cities].sort().flatMap((city) => this.pairsOf(city));
  }

  pairsOf(city: string): RecordPair[] {
    const [was, is] = [this.before, this.after].map((release) => recordsIn(release, city));
    const ids = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
    return [...ids].sort().map((id) => ({ city, was: was?.get(id), is: is?.get(id) }));
  }

  mergedInto(publicId: string): string | undefined {
    return this.#merged.get(publicId);
  }

  /** Rows that only the later release knows, about a record, its assets and observations. */
  changesOf({ was, is }: Pick<RecordPair, "was" | "is">): ChangeRow[] {
    const changes = rowsOf(was, is).flatMap((row) => this.#changes.get(row) ?? []);
    const byRow = new Map(changes.map((change) => [change.row, change]));
    return [...byRow.values()].sort((a, b) => a.row - b.row);
  }

  /** Rows of a record that were erased since. */
  erasedOf(was: RecordFigures | undefined): number[] {
    return rowsOf(was, undefined).filter((row) => this.#erased.has(row));
  }

  /** Whether somebody meant it: a decision about any of the record, or an erasure. */
  isMeant(pair: Pick<RecordPair, "was" | "is">): boolean {
    if (pair.was !== undefined && this.mergedInto(pair.was.id) !== undefined) return true;
    return (
      this.changesOf(pair).some(({ change }) => !FOUND_BY_RULE.has(change)) ||
      this.erasedOf(pair.was).length > 0
    );
  }

  /** Whether rows changed what counts of these records. */
  hasRecounted(pairs: readonly RecordPair[]): boolean {
    return pairs.some((pair) => this.changesOf(pair).some(({ change }) => change !== "naming"));
  }

  /** What was decided about a city. */
  decisionsOf({ row }: Pick<CityFigures, "row">): ChangeRow[] {
    return (this.#changes.get(row) ?? []).filter(({ change }) => CITY_DECISIONS.has(change));
  }

  /** Observations of a record that the later release has nowhere. */
  lostObservationsOf(was: RecordFigures): number[] {
    this.#shown ??= allObservations(this.after);
    const shown = this.#shown;
    return observationsOf(was).filter((row) => !shown.has(row));
  }

  /** Whether eligibility can be compared: the same version of the methodology decided about it. */
  get hasSameGate(): boolean {
    return this.hasSameVersion && this.before.methods.score === this.after.methods.score;
  }

  /** Whether a record was eligible, and would be if time alone had passed. */
  isDue({ was, is, city }: RecordPair): boolean {
    const day = this.after.cities.find((each) => each.city === city)?.day;
    return this.hasSameGate && is !== undefined && day !== undefined && (was?.holds_until ?? "") >= day;
  }

  hasLostEligibility(pair: RecordPair): boolean {
    return this.isDue(pair) && pair.is?.gate !== "eligible";
  }

  /** Observations of a record that the earlier release had nowhere. */
  newObservationsOf(is: RecordFigures | undefined): number[] {
    this.#known ??= allObservations(this.before);
    const known = this.#known;
    return is === undefined ? [] : observationsOf(is).filter((row) => !known.has(row));
  }

  get erasedRows(): number {
    return this.#erased.size;
  }

  /** Whether something was erased of which the earlier release shows no row, such as where somebody looked. */
  hasErasedUnseen(): boolean {
    const seen = new Set(
      this.before.cities.flatMap(({ records }) => records.flatMap((record) => rowsOf(record, undefined))),
    );
    const ofSeen = new Set([...this.#erased].filter(([row]) => seen.has(row)).map(([, by]) => by));
    return [...this.#erased.values()].some((by) => !ofSeen.has(by));
  }

  /** What differs in a record that both have; undefined where the digests cannot be compared. */
  partsOf(was: RecordFigures, is: RecordFigures): RecordPart[] | undefined {
    if (!this.hasSameVersion) return undefined;
    const { evidence, status, identity, score } = was.digests;
    const parts: RecordPart[] = [];
    if (evidence !== is.digests.evidence) parts.push("evidence");
    if (status !== is.digests.status) parts.push("status");
    if (identity !== is.digests.identity) parts.push("identity");
    if (score !== is.digests.score) parts.push("score");
    return parts;
  }
}

function recordsIn({ cities }: ReleaseFigures, slug: string): Map<string, RecordFigures> {
  const records = cities.find(({ city }) => city === slug)?.records ?? [];
  return new Map(records.map((record) => [record.id, record]));
}

/** Ledger rows of a record: its own, its assets' and its observations'. */
function rowsOf(...records: readonly (RecordFigures | undefined)[]): number[] {
  const rows = records.flatMap((record) =>
    record === undefined ? [] : [record.row, ...record.assets, ...observationsOf(record)],
  );
  return [...new Set(rows)];
}

function allObservations({ cities }: ReleaseFigures): Set<number> {
  const rows = new Set<number>();
  for (const { records } of cities)
    for (const record of records) for (const row of observationsOf(record)) rows.add(row);
  return rows;
}
