import { AssetType, PresenceKind, type SetAsideReason, SourceType } from "../../contract/enums.ts";
import { BUILT_IN } from "../../contract/source-id.ts";
import { cityDayStart, utcDayStart } from "../../kernel/time.ts";
import type { RowTag } from "../../ledger/decisions/observer-tags.ts";
import type { KeptColumns } from "../../ledger/kept/kept-rows.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import { setAsideReason } from "../../method/standing/independence.ts";
import type { Sighting } from "../../method/types.ts";
import { InstantParser, Interner, TextColumn } from "./interner.ts";
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

/** What observations say of themselves. */
function ownColumns(size: number) {
  return {
    asset: new Uint32Array(size),
    observedAt: new Float64Array(size),
    acceptedAt: new Float64Array(size),
    legibility: new Float64Array(size), // NaN: none
    archived: new Uint8Array(size),
    hashes: new Uint8Array(size * HASH_BYTES),
    enteredApart: new Uint8Array(size), // 1: does not count when it enters, for a private reason
    namesSource: new Uint8Array(size), // 0: from before sources were registered
  };
}

function textColumns(size: number) {
  const text = (value: string) => value;
  return {
    observer: new TextColumn(new Uint32Array(size), text),
    cell: new TextColumn(new Uint32Array(size), text),
    model: new TextColumn(new Uint32Array(size), text),
    methodology: new TextColumn(new Uint32Array(size), text),
    source: new TextColumn(new Uint8Array(size), (value) => SourceType.parse(value)),
    assetType: new TextColumn(new Uint8Array(size), (value) => AssetType.parse(value)),
    presence: new TextColumn(new Uint8Array(size), (value) => PresenceKind.parse(value)),
    sourceId: new TextColumn(new Uint32Array(size), text),
  };
}

/** What other rows say of observations. */
function decidedColumns(size: number) {
  return {
    publishedAt: new Float64Array(size),
    verdict: new Uint8Array(size),
    scout: new Uint32Array(size), // 0: no scout
    setApart: new Uint8Array(size), // 1: does not count, for a private reason
  };
}

/** Some rows with all that is said of them. */
export interface GatheredSightings {
  readonly rows: Uint32Array;
  readonly columns: KeptColumns;
  readonly decided: KeptColumns["numbers"];
  readonly reprocessedAt: readonly (readonly [row: number, at: number])[];
}

/**
 * The observations of a ledger as columns indexed by row id: about 80 bytes per row instead of 600 for objects. Row ids are
 * contiguous; a row that is not a live observation has the record 0.
 */
export class SightingColumns {
  readonly #record: Uint32Array;
  readonly #own: ReturnType<typeof ownColumns>;
  readonly #texts: ReturnType<typeof textColumns>;
  readonly #decided: ReturnType<typeof decidedColumns>;
  readonly #reprocessedAt = new Map<number, number>();
  /** When the rows that were appended again were published first. */
  readonly #publishedFirst = new Map<number, number>();
  readonly #instants = new InstantParser();
  readonly #publishedCells = new PublishedCells();
  readonly #scouts = new Interner<string>();

  /** Where the values of a row lie, when these are not all rows. */
  readonly #places: ReadonlyMap<number, number> | undefined;

  /** For the rows 1 to `lastRow`; with `places`, for these rows at those places. */
  constructor(lastRow: number, places?: ReadonlyMap<number, number>) {
    this.#places = places;
    const size = lastRow + 1;
    this.#record = new Uint32Array(size);
    this.#own = ownColumns(size);
    this.#texts = textColumns(size);
    this.#decided = decidedColumns(size);
  }

  /**
   * Adds an observation with the precision that releases publish: the day of its city, which lies at `lng` degrees, and its
   * published cell. Rows of earlier versions hold hours, and smaller cells of mobile assets.
   */
  add(row: number, body: ObservationBody, ledgerHash: Uint8Array, lng: number): void {
    const own = this.#own;
    const texts = this.#texts;
    this.#record[row] = body.record;
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
    this.setCounts(row, body.counts ?? true);
    own.enteredApart[row] = number(this.#decided.setApart, row);
  }

  get lastRow(): number {
    return this.#record.length - 1;
  }

  /** What the rows after `after` up to `upTo` say of themselves. */
  kept(after: number, upTo: number): KeptColumns {
    const record = this.#record.slice(after + 1, upTo + 1);
    const isObservation = (at: number) => record[at] !== 0;
    const numbers = Object.entries(this.#own).map(([name, column]) => {
      const width = this.#widthOf(column);
      return [name, column.slice((after + 1) * width, (upTo + 1) * width)];
    });
    const texts = Object.entries(this.#texts).map(([name, column]) => [
      name,
      column.kept(after, upTo - after, isObservation),
    ]);
    return { record, numbers: Object.fromEntries(numbers), texts: Object.fromEntries(texts) };
  }

  /** Takes in what `kept` gave of the rows after `after`, before anything else is said of them. */
  load(after: number, { record, numbers, texts }: KeptColumns): void {
    this.#record.set(record, after + 1);
    for (const [name, column] of Object.entries(this.#own))
      column.set(numbers[name] ?? [], (after + 1) * this.#widthOf(column));
    for (const [name, column] of Object.entries(this.#texts)) {
      const kept = texts[name];
      if (kept !== undefined) column.load(after, kept);
    }
    this.#decided.setApart.set(numbers.enteredApart ?? [], after + 1);
  }

  /** A copy of what is known of these rows. */
  gather(rows: Uint32Array): GatheredSightings {
    const record = rows.map((row) => this.#record[row] ?? 0);
    const isObservation = (at: number) => record[at] !== 0;
    const numbers = Object.entries(this.#own).map(([name, column]) => [
      name,
      picked(column, rows, this.#widthOf(column)),
    ]);
    const texts = Object.entries(this.#texts).map(([name, column]) => [
      name,
      column.gather(rows, isObservation),
    ]);
    const { verdict, scout, setApart } = this.#decided;
    return {
      rows,
      columns: { record, numbers: Object.fromEntries(numbers), texts: Object.fromEntries(texts) },
      decided: {
        publishedAt: this.#publishedTimes(rows),
        verdict: picked(verdict, rows),
        scout: picked(scout, rows),
        setApart: picked(setApart, rows),
      },
      reprocessedAt: this.#ofRows(rows),
    };
  }

  #publishedTimes(rows: Uint32Array): Column {
    const times = picked(this.#decided.publishedAt, rows);
    if (this.#publishedFirst.size > 0)
      rows.forEach((row, at) => {
        times[at] = this.publishedAt(row);
      });
    return times;
  }

  #ofRows(rows: Uint32Array): GatheredSightings["reprocessedAt"] {
    if (this.#reprocessedAt.size === 0) return [];
    return Array.from(rows).flatMap((row) => {
      const at = this.#reprocessedAt.get(row);
      return at === undefined ? [] : [[row, at] as const];
    });
  }

  static of({ rows, columns, decided, reprocessedAt }: GatheredSightings): SightingColumns {
    const places = new Map<number, number>();
    for (const [at, row] of rows.entries()) places.set(row, at + 1);
    const gathered = new SightingColumns(rows.length, places);
    gathered.load(0, columns);
    for (const [name, column] of Object.entries(gathered.#decided)) column.set(decided[name] ?? [], 1);
    for (const [row, at] of reprocessedAt) gathered.setReprocessed(row, at);
    return gathered;
  }

  #widthOf(column: { readonly length: number }): number {
    return column.length / this.#record.length;
  }

  /** Records that a seal published the rows `first` to `last` at `publishedAt` (ms). */
  publish(first: number, last: number, publishedAt: number): void {
    this.#decided.publishedAt.fill(publishedAt, first, last + 1);
  }

  /** Records that a row was appended again: its first publication counts, once a seal covers the row itself. */
  setPublishedFirst(row: number, publishedAt: number): void {
    this.#publishedFirst.set(row, publishedAt);
  }

  /** Sets the scout of a row. Private: scouts are counted and never written. */
  setScout(row: number, observer: string): void {
    this.#decided.scout[row] = this.#scouts.number(observer) + 1;
  }

  /** The same number for the same scout; undefined for other sources. */
  scout(row: number): number | undefined {
    return this.#number(this.#decided.scout, row) || undefined;
  }

  setVerdict(row: number, verdict: Verdict): void {
    this.#decided.verdict[row] = VERDICTS.indexOf(verdict);
  }

  /** Whether the last review of the row rejected it. */
  isRejected(row: number): boolean {
    return VERDICTS[this.#number(this.#decided.verdict, row)] === "rejected";
  }

  /** Sets whether an observation counts as independent evidence, as its row or a later one about it says. */
  setCounts(row: number, counts: boolean): void {
    this.#decided.setApart[row] = counts ? 0 : 1;
  }

  /**
   * By row 1 where a release may show an observation otherwise than its row says: it was written before sources were registered, what
   * counts was changed, or its record is one of these.
   */
  mayBeShownOtherwise(records: ReadonlySet<number>): Uint8Array {
    const { namesSource, enteredApart } = this.#own;
    const { setApart } = this.#decided;
    return Uint8Array.from(this.#record, (record, row) => {
      if (record === 0) return 0;
      const isOtherwise =
        namesSource[row] === 0 || enteredApart[row] !== setApart[row] || records.has(record);
      return isOtherwise ? 1 : 0;
    });
  }

  /** Whether private reasons let an observation count. */
  counts(row: number): boolean {
    return this.#number(this.#decided.setApart, row) === 0;
  }

  /** The same, as the row itself says. */
  countedAtEntry(row: number): boolean {
    return this.#number(this.#own.enteredApart, row) === 0;
  }

  /** Why the observation of a row does not count; null when it does. */
  setAside(row: number): SetAsideReason | null {
    const place = this.#place(row);
    return setAsideReason({
      source: this.#texts.source.at(place),
      assetType: this.#texts.assetType.at(place),
      counts: number(this.#decided.setApart, place) === 0,
    });
  }

  setReprocessed(row: number, at: number): void {
    this.#reprocessedAt.set(row, at);
  }

  /** The last UTC day (ms) on which a row of each named source was accepted. */
  lastIntake(): Map<string, number> {
    const days = new Map<string, number>();
    const { namesSource, acceptedAt } = this.#own;
    for (const [row, record] of this.#record.entries()) {
      if (record === 0 || number(namesSource, row) === 0) continue;
      const source = this.#texts.sourceId.at(row);
      if (source !== "") days.set(source, Math.max(number(acceptedAt, row), days.get(source) ?? 0));
    }
    return days;
  }

  /** Live, sealed observations observed by `asOf` (ms), as [row, record, asset] in row order. */
  *observedBy(asOf: number): Generator<readonly [row: number, record: number, asset: number]> {
    const { asset, observedAt } = this.#own;
    const { publishedAt } = this.#decided;
    for (const [row, record] of this.#record.entries())
      if (record !== 0 && number(publishedAt, row) !== 0 && number(observedAt, row) <= asOf)
        yield [row, record, number(asset, row)];
  }

  asset(row: number): number {
    return this.#number(this.#own.asset, row);
  }

  observedAt(row: number): number {
    return this.#number(this.#own.observedAt, row);
  }

  /** When a row of any kind was published first: `created_at` of the seal that covers it (ms); 0 while none does. */
  publishedAt(row: number): number {
    const sealed = this.#number(this.#decided.publishedAt, row);
    return sealed === 0 ? 0 : (this.#publishedFirst.get(row) ?? sealed);
  }

  /** The record that the row itself names, before merges. */
  record(row: number): number {
    return this.#number(this.#record, row);
  }

  /** The tag of the row itself, before merges and changes of tags. */
  rowTag(row: number): RowTag {
    const isFromBefore = this.#number(this.#own.namesSource, row) === 0;
    return { record: this.record(row), tag: this.observer(row), isFromBefore };
  }

  observer(row: number): string {
    return this.#texts.observer.at(this.#place(row));
  }

  presenceKind(row: number): PresenceKind {
    return this.#texts.presence.at(this.#place(row));
  }

  legibility(row: number): number | null {
    const legibility = this.#number(this.#own.legibility, row);
    return Number.isNaN(legibility) ? null : legibility;
  }

  sighting(row: number, { day, observer }: Placed): Sighting {
    const place = this.#place(row);
    const assetType = this.#texts.assetType.at(place);
    return {
      id: row,
      asset: number(this.#own.asset, place),
      assetType,
      source: this.#texts.source.at(place),
      observer,
      observedAt: number(this.#own.observedAt, place),
      day,
      cell: this.#texts.cell.at(place),
      fine: assetType !== "vehicle_wrap",
      publishedAt: this.publishedAt(row),
      archived: number(this.#own.archived, place) === 1,
      verdict: VERDICTS[number(this.#decided.verdict, place)],
      setAside: this.setAside(row),
    };
  }

  /** The columns of an observation that the methodology does not use. */
  details(row: number) {
    const place = this.#place(row);
    return {
      acceptedAt: number(this.#own.acceptedAt, place), // ms, the UTC day
      reprocessedAt: this.#reprocessedAt.get(row) ?? null,
      recognitionModelVersion: this.#texts.model.at(place) || null,
      methodologyVersion: this.#texts.methodology.at(place),
      presenceKind: this.#texts.presence.at(place),
      sourceId: this.#texts.sourceId.at(place) || null,
      ledgerHash: this.#own.hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES),
    };
  }

  #place(row: number): number {
    return this.#places === undefined ? row : (this.#places.get(row) ?? this.lastRow + 1);
  }

  #number(column: Column, row: number): number {
    return number(column, this.#place(row));
  }
}

/** Rows of a time without registered sources belong to the built-in ones. */
function sourceText({ source }: ObservationBody): string {
  return source === undefined ? BUILT_IN : (source ?? "");
}

function number(column: Column, row: number): number {
  const value = column[row];
  if (value === undefined)
    throw new RangeError(`row ${row} is not in the ledger's first ${column.length - 1} rows`);
  return value;
}

type Column = Uint8Array | Uint32Array | Float64Array;

/** The values of these rows; a column of hashes has several elements for each, which are copied four bytes at once. */
function picked(column: Column, rows: Uint32Array, width = 1): Column {
  const values = column.slice(0, rows.length * width);
  if (width === 1) {
    rows.forEach((row, at) => {
      values[at] = column[row] ?? 0;
    });
    return values;
  }
  const words = width / Uint32Array.BYTES_PER_ELEMENT;
  const from = new Uint32Array(column.buffer);
  const to = new Uint32Array(values.buffer);
  rows.forEach((row, at) => {
    for (let word = 0; word < words; word += 1) to[at * words + word] = from[row * words + word] ?? 0;
  });
  return values;
}
