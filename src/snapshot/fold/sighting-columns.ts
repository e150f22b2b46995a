import type { PresenceKind, SetAsideReason } from "../../contract/enums.ts";
import type { StatedFacts } from "../../contract/records/observation.ts";
import { canSee, setAsideReason } from "../../method/standing/counting.ts";
import type { Sighting } from "../../method/types.ts";
import { HASH_BYTES, type SightingMemory, VERDICTS } from "./sighting-memory.ts";

/** Values that depend on the record a row counts for: its solar day in that record's city, and its observer tag after merges. */
export interface Placed {
  readonly day: number;
  readonly observer: string;
}

/** What the observations of a ledger say, and what is said of them, by row. */
export class SightingColumns {
  protected readonly memory: SightingMemory;

  constructor(memory: SightingMemory) {
    this.memory = memory;
  }

  get lastRow(): number {
    return this.memory.record.length - 1;
  }

  /** The same number for the same scout; undefined for other sources. */
  scout(row: number): number | undefined {
    return number(this.memory.decided.scout, row) || undefined;
  }

  /** Whether the last review of the row rejected it. */
  isRejected(row: number): boolean {
    return VERDICTS[number(this.memory.decided.verdict, row)] === "rejected";
  }

  /**
   * By row 1 where a release may show an observation otherwise than its row says: what counts was changed, or its record is
   * one of these.
   */
  mayBeShownOtherwise(records: ReadonlySet<number>): Uint8Array {
    const { enteredApart } = this.memory.own;
    const { setApart } = this.memory.decided;
    return Uint8Array.from(this.memory.record, (record, row) => {
      if (record === 0) return 0;
      return enteredApart[row] !== setApart[row] || records.has(record) ? 1 : 0;
    });
  }

  /** Whether private reasons let an observation count. */
  counts(row: number): boolean {
    return number(this.memory.decided.setApart, row) === 0;
  }

  /** The same, as the row itself says. */
  countedAtEntry(row: number): boolean {
    return number(this.memory.own.enteredApart, row) === 0;
  }

  /** Whether a source of its type can plausibly see an asset of its type. */
  canBeSeen(row: number): boolean {
    return canSee(this.memory.texts.source.at(row), this.memory.texts.assetType.at(row));
  }

  /** Why the observation of a row does not count; null when it does. */
  setAside(row: number): SetAsideReason | null {
    return setAsideReason({
      source: this.memory.texts.source.at(row),
      assetType: this.memory.texts.assetType.at(row),
      counts: this.counts(row),
    });
  }

  /** The last UTC day (ms) on which a row of each named source was accepted. */
  lastIntake(): Map<string, number> {
    const days = new Map<string, number>();
    const { acceptedAt } = this.memory.own;
    for (const [row, record] of this.memory.record.entries()) {
      if (record === 0) continue;
      const source = this.memory.texts.sourceId.at(row);
      if (source !== "") days.set(source, Math.max(number(acceptedAt, row), days.get(source) ?? 0));
    }
    return days;
  }

  /** Live, sealed observations observed by `asOf` (ms), as [row, record, asset] in row order. */
  *observedBy(asOf: number): Generator<readonly [row: number, record: number, asset: number]> {
    for (const [row, record] of this.memory.record.entries())
      if (record !== 0 && this.isObservedBy(row, asOf)) yield [row, record, this.asset(row)];
  }

  /** Whether the live observation of a row is sealed and was observed by `asOf` (ms). */
  isObservedBy(row: number, asOf: number): boolean {
    return number(this.memory.decided.publishedAt, row) !== 0 && this.observedAt(row) <= asOf;
  }

  asset(row: number): number {
    return number(this.memory.own.asset, row);
  }

  observedAt(row: number): number {
    return number(this.memory.own.observedAt, row);
  }

  /** When a row of any kind was published: `created_at` of the seal that covers it (ms); 0 while none does. */
  publishedAt(row: number): number {
    return number(this.memory.decided.publishedAt, row);
  }

  /** The record that the row counts for, before merges. */
  record(row: number): number {
    return number(this.memory.record, row);
  }

  /** By row what `values` has for the record that the row counts for, before merges; 0 for a row of none. */
  valueOfRecord(values: Uint32Array): Uint32Array {
    return this.memory.record.map((record) => (record === 0 ? 0 : number(values, record)));
  }

  /** The tag at that record, before merges. */
  observer(row: number): string {
    return this.memory.texts.observer.at(row);
  }

  presenceKind(row: number): PresenceKind {
    return this.memory.texts.presence.at(row);
  }

  legibility(row: number): number | null {
    const legibility = number(this.memory.own.legibility, row);
    return Number.isNaN(legibility) ? null : legibility;
  }

  sighting(row: number, { day, observer }: Placed): Sighting {
    const assetType = this.memory.texts.assetType.at(row);
    return {
      id: row,
      asset: number(this.memory.own.asset, row),
      assetType,
      source: this.memory.texts.source.at(row),
      observer,
      observedAt: number(this.memory.own.observedAt, row),
      day,
      cell: this.memory.texts.cell.at(row),
      fine: assetType !== "vehicle_wrap",
      publishedAt: this.publishedAt(row),
      archived: number(this.memory.own.archived, row) === 1,
      verdict: VERDICTS[number(this.memory.decided.verdict, row)],
      setAside: this.setAside(row),
    };
  }

  /** What its source says of the observation. */
  stated(row: number): StatedFacts {
    return this.memory.texts.stated.at(row);
  }

  /** The columns of an observation that the methodology does not use. */
  details(row: number) {
    return {
      acceptedAt: number(this.memory.own.acceptedAt, row), // ms, the UTC day
      stated: this.stated(row),
      methodologyVersion: this.memory.texts.methodology.at(row),
      presenceKind: this.presenceKind(row),
      sourceId: this.memory.texts.sourceId.at(row) || null,
      ledgerHash: this.memory.own.hashes.subarray(row * HASH_BYTES, (row + 1) * HASH_BYTES),
    };
  }
}

/** Throws RangeError for a row beyond the column. */
function number(column: Uint8Array | Uint32Array | Float64Array, row: number): number {
  const value = column[row];
  if (value === undefined)
    throw new RangeError(`row ${row} is not in the ledger's first ${column.length - 1} rows`);
  return value;
}
