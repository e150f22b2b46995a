import { StatedFacts } from "../../contract/records/observation.ts";
import type { Place } from "../../ledger/decisions/merges.ts";
import type { CachedColumns } from "../../ledger/row-cache.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import type { Sighting } from "../../method/types.ts";
import { SightingColumns } from "./sighting-columns.ts";
import { HASH_BYTES, newMemory, type SharedSightings, shareMemory, VERDICTS } from "./sighting-memory.ts";
import { InstantParser } from "./text-column.ts";

const STATED = StatedFacts.keyof().options;

/** The observations of a ledger while its rows are folded. */
export class SightingFold extends SightingColumns {
  readonly #instants = new InstantParser();
  readonly #scouts = new Map<string, number>();
  /** Of observations that were moved: what their rows say. */
  readonly #written = new Map<number, Place>();

  /** For the rows 1 to `lastRow`. */
  constructor(lastRow: number) {
    super(newMemory(lastRow));
  }

  add(row: number, body: ObservationBody, ledgerHash: Uint8Array): void {
    const { record, own, texts } = this.memory;
    record[row] = body.record;
    own.asset[row] = body.asset;
    own.observedAt[row] = this.#instants.parse(body.observed_at);
    own.acceptedAt[row] = this.#instants.parse(body.accepted_at);
    own.legibility[row] = body.legibility ?? Number.NaN;
    own.archived[row] = body.derived_from_archive ? 1 : 0;
    own.hashes.set(ledgerHash, row * HASH_BYTES);
    texts.observer.set(row, body.observer_tag);
    texts.cell.set(row, body.h3_cell);
    texts.stated.set(row, JSON.stringify(body, STATED));
    texts.methodology.set(row, body.methodology_version);
    texts.source.set(row, body.source_type);
    texts.assetType.set(row, body.asset_type);
    texts.presence.set(row, body.presence_kind);
    texts.sourceId.set(row, body.source ?? "");
    own.enteredApart[row] = body.counts ? 0 : 1;
    this.setCounts(row, body.counts);
  }

  /** Where a reviewer moved a live observation. */
  move(row: number, place: Place): void {
    if (this.record(row) === 0) return;
    if (!this.#written.has(row)) this.#written.set(row, this.#place(row));
    this.#put(row, place);
  }

  /** What the row itself says. */
  written(row: number): Place {
    return this.#written.get(row) ?? this.#place(row);
  }

  override mayBeShownOtherwise(records: ReadonlySet<number>): Uint8Array {
    const otherwise = super.mayBeShownOtherwise(records);
    for (const row of this.#written.keys()) otherwise[row] = 1;
    return otherwise;
  }

  #place(row: number): Place {
    return { record: this.record(row), asset: this.asset(row), observer_tag: this.observer(row) };
  }

  #put(row: number, { record, asset, observer_tag }: Place): void {
    this.memory.record[row] = record;
    this.memory.own.asset[row] = asset;
    this.memory.texts.observer.set(row, observer_tag);
  }

  /** What the rows after `after` up to `upTo` say of themselves. */
  kept(after: number, upTo: number): CachedColumns {
    const moved = [...this.#written].filter(([row]) => row > after && row <= upTo);
    const places = moved.map(([row]) => [row, this.#place(row)] as const);
    for (const [row, written] of moved) this.#put(row, written);
    const kept = this.#kept(after, upTo);
    for (const [row, place] of places) this.#put(row, place);
    return kept;
  }

  #kept(after: number, upTo: number): CachedColumns {
    const record = this.memory.record.slice(after + 1, upTo + 1);
    const isObservation = (at: number) => record[at] !== 0;
    const numbers = Object.entries(this.memory.own).map(([name, column]) => {
      const width = this.#widthOf(column);
      return [name, column.slice((after + 1) * width, (upTo + 1) * width)];
    });
    const texts = Object.entries(this.memory.texts).map(([name, column]) => [
      name,
      column.kept(after, upTo - after, isObservation),
    ]);
    return { record, numbers: Object.fromEntries(numbers), texts: Object.fromEntries(texts) };
  }

  /** Takes in what `kept` gave of the rows after `after`, before anything else is said of them. */
  load(after: number, { record, numbers, texts }: CachedColumns): void {
    this.memory.record.set(record, after + 1);
    for (const [name, column] of Object.entries(this.memory.own))
      column.set(numbers[name] ?? [], (after + 1) * this.#widthOf(column));
    for (const [name, column] of Object.entries(this.memory.texts)) {
      const kept = texts[name];
      if (kept !== undefined) column.load(after, kept);
    }
    this.memory.decided.setApart.set(numbers.enteredApart ?? [], after + 1);
  }

  /** For other threads, which read the same memory; nothing more may be said of a row then. */
  share(): SharedSightings {
    return shareMemory(this.memory);
  }

  /** Records that a seal published the rows `first` to `last` at `publishedAt` (ms). */
  publish(first: number, last: number, publishedAt: number): void {
    this.memory.decided.publishedAt.fill(publishedAt, first, last + 1);
  }

  /** Sets the scout of a row, a principal. Private: scouts are counted and never written. */
  setScout(row: number, principal: string): void {
    const number = this.#scouts.get(principal) ?? this.#scouts.size + 1;
    this.#scouts.set(principal, number);
    this.memory.decided.scout[row] = number;
  }

  setVerdict(row: number, verdict: Sighting["verdict"]): void {
    this.memory.decided.verdict[row] = VERDICTS.indexOf(verdict);
  }

  /** Sets whether an observation counts as independent evidence, as its row or a later one about it says. */
  setCounts(row: number, counts: boolean): void {
    this.memory.decided.setApart[row] = counts ? 0 : 1;
  }

  #widthOf(column: { readonly length: number }): number {
    return column.length / this.memory.record.length;
  }
}
