import type { AssetType, PresenceKind, SetAsideReason, SourceType } from "../../contract/enums.ts";
import { BUILT_IN } from "../../contract/source-id.ts";
import { cityDayStart, utcDayStart } from "../../kernel/time.ts";
import type { RowTag } from "../../ledger/decisions/observer-tags.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import { setAsideReason } from "../../method/standing/independence.ts";
import type { Sighting } from "../../method/types.ts";
import { InstantParser, Interner } from "./interner.ts";
import { PublishedCells } from "./published-cells.ts";

type Verdict = Sighting["verdict"];

const VERDICTS: readonly Verdict[] = [undefined, "verified", "rejected"];
const HASH_BYTES = 32;
const NO_MODEL = "";

/** Values that depend on the record a row counts for: its solar day in that record's city, and its observer tag after merges. */
export interface Placed {
  readonly day: number;
  readonly observer: string;
}

function emptyColumns(size: number) {
  return {
    record: new Uint32Array(size),
    asset: new Uint32Array(size),
    observedAt: new Float64Array(size),
    acceptedAt: new Float64Array(size),
    publishedAt: new Float64Array(size),
    legibility: new Float64Array(size), // NaN: none
    observer: new Uint32Array(size),
    cell: new Uint32Array(size),
    model: new Uint32Array(size),
    methodology: new Uint32Array(size),
    source: new Uint8Array(size),
    assetType: new Uint8Array(size),
    presence: new Uint8Array(size),
    archived: new Uint8Array(size),
    verdict: new Uint8Array(size),
    hashes: new Uint8Array(size * HASH_BYTES),
    scout: new Uint32Array(size), // 0: no scout
    setApart: new Uint8Array(size), // 1: does not count, for a private reason
    enteredApart: new Uint8Array(size), // the same when the row entered
    namesSource: new Uint8Array(size), // 0: from before sources were registered
    sourceId: new Uint32Array(size),
  };
}

/**
 * The observations of a ledger as columns indexed by row id: about 80 bytes per row instead of 600 for objects. Row ids are
 * contiguous; a row that is not a live observation has the record 0.
 */
export class SightingColumns {
  readonly #columns: ReturnType<typeof emptyColumns>;
  readonly #reprocessedAt = new Map<number, number>();
  /** When the rows that were appended again were published first. */
  readonly #publishedFirst = new Map<number, number>();
  readonly #instants = new InstantParser();
  readonly #observers = new Interner<string>();
  readonly #cells = new Interner<string>();
  readonly #publishedCells = new PublishedCells();
  readonly #scouts = new Interner<string>();
  readonly #models = new Interner<string>();
  readonly #methodologies = new Interner<string>();
  readonly #sourceIds = new Interner<string>();
  readonly #sources = new Interner<SourceType>();
  readonly #assetTypes = new Interner<AssetType>();
  readonly #presences = new Interner<PresenceKind>();

  /** For the rows 1 to `lastRow`. */
  constructor(lastRow: number) {
    this.#columns = emptyColumns(lastRow + 1);
  }

  /**
   * Adds an observation with the precision that releases publish: the day of its city, which lies at `lng` degrees, and its
   * published cell. Rows of earlier versions hold hours, and smaller cells of mobile assets.
   */
  add(row: number, body: ObservationBody, ledgerHash: Uint8Array, lng: number): void {
    this.#columns.record[row] = body.record;
    this.#columns.asset[row] = body.asset;
    this.#columns.observedAt[row] = cityDayStart(this.#instants.parse(body.observed_at), lng);
    this.#columns.acceptedAt[row] = utcDayStart(this.#instants.parse(body.accepted_at));
    this.#columns.legibility[row] = body.legibility ?? Number.NaN;
    this.#columns.observer[row] = this.#observers.number(body.observer_tag);
    this.#columns.cell[row] = this.#cells.number(this.#publishedCells.of(body));
    this.#columns.model[row] = this.#models.number(body.recognition_model_version ?? NO_MODEL);
    this.#columns.methodology[row] = this.#methodologies.number(body.methodology_version);
    this.#columns.source[row] = this.#sources.number(body.source_type);
    this.#columns.assetType[row] = this.#assetTypes.number(body.asset_type);
    this.#columns.presence[row] = this.#presences.number(body.presence_kind);
    this.#columns.archived[row] = body.derived_from_archive ? 1 : 0;
    this.#columns.hashes.set(ledgerHash, row * HASH_BYTES);
    this.setCounts(row, body.counts ?? true);
    this.#columns.enteredApart[row] = number(this.#columns.setApart, row);
    this.#columns.namesSource[row] = body.source === undefined ? 0 : 1;
    this.#columns.sourceId[row] = this.#sourceIds.number(sourceText(body));
  }

  /** Records that a seal published the rows `first` to `last` at `publishedAt` (ms). */
  publish(first: number, last: number, publishedAt: number): void {
    this.#columns.publishedAt.fill(publishedAt, first, last + 1);
  }

  /** Records that a row was appended again: its first publication counts, once a seal covers the row itself. */
  setPublishedFirst(row: number, publishedAt: number): void {
    this.#publishedFirst.set(row, publishedAt);
  }

  /** Sets the scout of a row. Private: scouts are counted and never written. */
  setScout(row: number, observer: string): void {
    this.#columns.scout[row] = this.#scouts.number(observer) + 1;
  }

  /** The same number for the same scout; undefined for other sources. */
  scout(row: number): number | undefined {
    return number(this.#columns.scout, row) || undefined;
  }

  setVerdict(row: number, verdict: Verdict): void {
    this.#columns.verdict[row] = VERDICTS.indexOf(verdict);
  }

  /** Whether the last review of the row rejected it. */
  isRejected(row: number): boolean {
    return VERDICTS[number(this.#columns.verdict, row)] === "rejected";
  }

  /** Sets whether an observation counts as independent evidence, as its row or a later one about it says. */
  setCounts(row: number, counts: boolean): void {
    this.#columns.setApart[row] = counts ? 0 : 1;
  }

  /** Whether private reasons let an observation count. */
  counts(row: number): boolean {
    return number(this.#columns.setApart, row) === 0;
  }

  /** The same, as the row itself says. */
  countedAtEntry(row: number): boolean {
    return number(this.#columns.enteredApart, row) === 0;
  }

  /** Why the observation of a row does not count; null when it does. */
  setAside(row: number): SetAsideReason | null {
    return setAsideReason({
      source: this.#sources.text(number(this.#columns.source, row)),
      assetType: this.#assetTypes.text(number(this.#columns.assetType, row)),
      counts: this.counts(row),
    });
  }

  setReprocessed(row: number, at: number): void {
    this.#reprocessedAt.set(row, at);
  }

  /** Live, sealed observations observed by `asOf` (ms), as [row, record, asset] in row order. */
  *observedBy(asOf: number): Generator<readonly [row: number, record: number, asset: number]> {
    for (const [row, record] of this.#columns.record.entries()) {
      if (
        record === 0 ||
        number(this.#columns.publishedAt, row) === 0 ||
        number(this.#columns.observedAt, row) > asOf
      )
        continue;
      yield [row, record, number(this.#columns.asset, row)];
    }
  }

  observedAt(row: number): number {
    return number(this.#columns.observedAt, row);
  }

  /** When a row of any kind was published first: `created_at` of the seal that covers it (ms); 0 while none does. */
  publishedAt(row: number): number {
    const sealed = number(this.#columns.publishedAt, row);
    return sealed === 0 ? 0 : (this.#publishedFirst.get(row) ?? sealed);
  }

  /** The record that the row itself names, before merges. */
  record(row: number): number {
    return number(this.#columns.record, row);
  }

  /** The tag of the row itself, before merges and changes of tags. */
  rowTag(row: number): RowTag {
    const isFromBefore = number(this.#columns.namesSource, row) === 0;
    return { record: this.record(row), tag: this.observer(row), isFromBefore };
  }

  observer(row: number): string {
    return this.#observers.text(number(this.#columns.observer, row));
  }

  presenceKind(row: number): PresenceKind {
    return this.#presences.text(number(this.#columns.presence, row));
  }

  legibility(row: number): number | null {
    const legibility = number(this.#columns.legibility, row);
    return Number.isNaN(legibility) ? null : legibility;
  }

  sighting(row: number, { day, observer }: Placed): Sighting {
    const assetType = this.#assetTypes.text(number(this.#columns.assetType, row));
    return {
      id: row,
      asset: number(this.#columns.asset, row),
      assetType,
      source: this.#sources.text(number(this.#columns.source, row)),
      observer,
      observedAt: number(this.#columns.observedAt, row),
      day,
      cell: this.#cells.text(number(this.#columns.cell, row)),
      fine: assetType !== "vehicle_wrap",
      publishedAt: this.publishedAt(row),
      archived: this.#columns.archived[row] === 1,
      verdict: VERDICTS[number(this.#columns.verdict, row)],
      setAside: this.setAside(row),
    };
  }

  /** The columns of an observation that the methodology does not use. */
  details(row: number) {
    return {
      acceptedAt: number(this.#columns.acceptedAt, row), // ms, the UTC day
      reprocessedAt: this.#reprocessedAt.get(row) ?? null,
      recognitionModelVersion: this.#models.text(number(this.#columns.model, row)) || null,
      methodologyVersion: this.#methodologies.text(number(this.#columns.methodology, row)),
      presenceKind: this.presenceKind(row),
      sourceId: this.#sourceIds.text(number(this.#columns.sourceId, row)) || null,
      ledgerHash: this.#columns.hashes.subarray(row * HASH_BYTES, (row + 1) * HASH_BYTES),
    };
  }
}

/** Rows of a time without registered sources belong to the built-in ones. */
function sourceText({ source }: ObservationBody): string {
  return source === undefined ? BUILT_IN : (source ?? "");
}

function number(column: Uint8Array | Uint32Array | Float64Array, row: number): number {
  const value = column[row];
  if (value === undefined)
    throw new RangeError(`row ${row} is not in the ledger's first ${column.length - 1} rows`);
  return value;
}
