import { BUILT_IN } from "../../contract/source-id.ts";
import { cityDayStart, utcDayStart } from "../../kernel/time.ts";
import type { KeptColumns } from "../../ledger/kept/kept-rows.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import type { Sighting } from "../../method/types.ts";
import { InstantParser } from "./instant-parser.ts";
import { PublishedCells } from "./published-cells.ts";
import { SightingColumns } from "./sighting-columns.ts";
import { HASH_BYTES, newMemory, type SharedSightings, shareMemory, VERDICTS } from "./sighting-memory.ts";

const NO_MODEL = "";

/** The observations of a ledger while its rows are folded. */
export class SightingFold extends SightingColumns {
  readonly #instants = new InstantParser();
  readonly #publishedCells = new PublishedCells();
  readonly #scouts = new Map<string, number>();

  /** For the rows 1 to `lastRow`. */
  constructor(lastRow: number) {
    super(newMemory(lastRow));
  }

  /**
   * Adds an observation with the precision that releases publish: the day of its city, which lies at `lng` degrees, and its
   * published cell. Rows of earlier versions hold hours, and smaller cells of mobile assets.
   */
  add(row: number, body: ObservationBody, ledgerHash: Uint8Array, lng: number): void {
    const { record, own, texts } = this.memory;
    record[row] = body.record;
    own.asset[row] = body.asset;
    own.observedAt[row] = cityDayStart(this.#instants.parse(body.observed_at), lng);
    own.acceptedAt[row] = utcDayStart(this.#instants.parse(body.accepted_at));
    own.legibility[row] = body.legibility ?? Number.NaN;
    own.archived[row] = body.derived_from_archive ? 1 : 0;
    own.hashes.set(ledgerHash, row * HASH_BYTES);
    own.namesSource[row] = body.source === undefined ? 0 : 1;
    texts.observer.set(row, body.observer_tag);
    texts.cell.set(row, this.#publishedCells.of(body));
    texts.model.set(row, body.recognition_model_version ?? NO_MODEL);
    texts.methodology.set(row, body.methodology_version);
    texts.source.set(row, body.source_type);
    texts.assetType.set(row, body.asset_type);
    texts.presence.set(row, body.presence_kind);
    texts.sourceId.set(row, sourceText(body));
    const isApart = body.counts === false;
    own.enteredApart[row] = isApart ? 1 : 0;
    this.setCounts(row, !isApart);
  }

  /** What the rows after `after` up to `upTo` say of themselves. */
  kept(after: number, upTo: number): KeptColumns {
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
  load(after: number, { record, numbers, texts }: KeptColumns): void {
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

  /** Records that a row was appended again: its first publication counts, once a seal covers the row itself. */
  setPublishedFirst(row: number, publishedAt: number): void {
    this.memory.publishedFirst.set(row, publishedAt);
  }

  /** Sets the scout of a row. Private: scouts are counted and never written. */
  setScout(row: number, observer: string): void {
    const number = this.#scouts.get(observer) ?? this.#scouts.size + 1;
    this.#scouts.set(observer, number);
    this.memory.decided.scout[row] = number;
  }

  setVerdict(row: number, verdict: Sighting["verdict"]): void {
    this.memory.decided.verdict[row] = VERDICTS.indexOf(verdict);
  }

  /** Sets whether an observation counts as independent evidence, as its row or a later one about it says. */
  setCounts(row: number, counts: boolean): void {
    this.memory.decided.setApart[row] = counts ? 0 : 1;
  }

  setReprocessed(row: number, at: number): void {
    this.memory.reprocessedAt.set(row, at);
  }

  #widthOf(column: { readonly length: number }): number {
    return column.length / this.memory.record.length;
  }
}

/** Rows of a time without registered sources belong to the built-in ones. */
function sourceText({ source }: ObservationBody): string {
  return source === undefined ? BUILT_IN : (source ?? "");
}
