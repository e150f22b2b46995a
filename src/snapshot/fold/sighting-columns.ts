import type { AssetType, PresenceKind, SourceType } from "../../contract/enums.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import type { Sighting } from "../../method/types.ts";
import { InstantParser, Interner } from "./interner.ts";

type Verdict = Sighting["verdict"];

const VERDICTS: readonly Verdict[] = [undefined, "verified", "rejected"];
const HASH_BYTES = 32;
const NO_MODEL = "";

/** What a snapshot says of one sighting beside its methodology facts. */
export interface SightingDetails {
  readonly acceptedAt: number; // ms, the UTC day
  readonly reprocessedAt: number | null;
  readonly recognitionModelVersion: string | null;
  readonly methodologyVersion: string;
  readonly presenceKind: PresenceKind;
  readonly ledgerHash: Uint8Array;
}

/** How the reader of a row places it: its solar day in the city that shows it, and its observer tag after merges. */
export interface Placed {
  readonly day: number;
  readonly observer: string;
}

/**
 * The observations of a ledger as columns indexed by row id: about 80 bytes a row, where objects would take 600.
 * Row ids are contiguous, so nothing has to be looked up; a row that is no live observation has the record 0.
 */
export class SightingColumns {
  readonly #record: Uint32Array;
  readonly #asset: Uint32Array;
  readonly #observedAt: Float64Array;
  readonly #acceptedAt: Float64Array;
  readonly #publishedAt: Float64Array;
  readonly #legibility: Float64Array; // NaN: none
  readonly #observer: Uint32Array;
  readonly #cell: Uint32Array;
  readonly #model: Uint32Array;
  readonly #methodology: Uint32Array;
  readonly #source: Uint8Array;
  readonly #assetType: Uint8Array;
  readonly #presence: Uint8Array;
  readonly #archived: Uint8Array;
  readonly #verdict: Uint8Array;
  readonly #hashes: Uint8Array;
  readonly #scout: Uint32Array; // 0: no scout
  readonly #reprocessedAt = new Map<number, number>();
  readonly #instants = new InstantParser();
  readonly #observers = new Interner<string>();
  readonly #cells = new Interner<string>();
  readonly #scouts = new Interner<string>();
  readonly #models = new Interner<string>();
  readonly #methodologies = new Interner<string>();
  readonly #sources = new Interner<SourceType>();
  readonly #assetTypes = new Interner<AssetType>();
  readonly #presences = new Interner<PresenceKind>();

  /** For the rows 1 to `lastRow`. */
  constructor(lastRow: number) {
    const size = lastRow + 1;
    this.#record = new Uint32Array(size);
    this.#asset = new Uint32Array(size);
    this.#observedAt = new Float64Array(size);
    this.#acceptedAt = new Float64Array(size);
    this.#publishedAt = new Float64Array(size);
    this.#legibility = new Float64Array(size);
    this.#observer = new Uint32Array(size);
    this.#cell = new Uint32Array(size);
    this.#model = new Uint32Array(size);
    this.#methodology = new Uint32Array(size);
    this.#source = new Uint8Array(size);
    this.#assetType = new Uint8Array(size);
    this.#presence = new Uint8Array(size);
    this.#archived = new Uint8Array(size);
    this.#verdict = new Uint8Array(size);
    this.#hashes = new Uint8Array(size * HASH_BYTES);
    this.#scout = new Uint32Array(size);
  }

  add(row: number, body: ObservationBody, ledgerHash: Uint8Array): void {
    this.#record[row] = body.record;
    this.#asset[row] = body.asset;
    this.#observedAt[row] = this.#instants.parse(body.observed_at);
    this.#acceptedAt[row] = utcDayStart(this.#instants.parse(body.accepted_at));
    this.#legibility[row] = body.legibility ?? Number.NaN;
    this.#observer[row] = this.#observers.number(body.observer_tag);
    this.#cell[row] = this.#cells.number(body.h3_cell);
    this.#model[row] = this.#models.number(body.recognition_model_version ?? NO_MODEL);
    this.#methodology[row] = this.#methodologies.number(body.methodology_version);
    this.#source[row] = this.#sources.number(body.source_type);
    this.#assetType[row] = this.#assetTypes.number(body.asset_type);
    this.#presence[row] = this.#presences.number(body.presence_kind);
    this.#archived[row] = body.derived_from_archive ? 1 : 0;
    this.#hashes.set(ledgerHash, row * HASH_BYTES);
  }

  /** A seal has published the rows `first` to `last` at `publishedAt` (ms). */
  publish(first: number, last: number, publishedAt: number): void {
    this.#publishedAt.fill(publishedAt, first, last + 1);
  }

  /** Private: who the scout of a row was, to be counted and never written. */
  setScout(row: number, observer: string): void {
    this.#scout[row] = this.#scouts.number(observer) + 1;
  }

  /** The same number for the same scout; undefined for other sources. */
  scout(row: number): number | undefined {
    return number(this.#scout, row) || undefined;
  }

  setVerdict(row: number, verdict: Verdict): void {
    this.#verdict[row] = VERDICTS.indexOf(verdict);
  }

  /** Whether the last review of the row rejected it. */
  isRejected(row: number): boolean {
    return VERDICTS[number(this.#verdict, row)] === "rejected";
  }

  setReprocessed(row: number, at: number): void {
    this.#reprocessedAt.set(row, at);
  }

  /** Live, sealed observations observed by `asOf` (ms), as [row, record, asset] in row order. */
  *observedBy(asOf: number): Generator<readonly [row: number, record: number, asset: number]> {
    for (const [row, record] of this.#record.entries()) {
      if (record === 0 || number(this.#publishedAt, row) === 0 || number(this.#observedAt, row) > asOf)
        continue;
      yield [row, record, number(this.#asset, row)];
    }
  }

  observedAt(row: number): number {
    return number(this.#observedAt, row);
  }

  /** When a row of any kind was published: `created_at` of the seal that covers it (ms); 0 while none does. */
  publishedAt(row: number): number {
    return number(this.#publishedAt, row);
  }

  /** The record that the row itself names, before merges. */
  record(row: number): number {
    return number(this.#record, row);
  }

  observer(row: number): string {
    return this.#observers.text(number(this.#observer, row));
  }

  presenceKind(row: number): PresenceKind {
    return this.#presences.text(number(this.#presence, row));
  }

  legibility(row: number): number | null {
    const legibility = number(this.#legibility, row);
    return Number.isNaN(legibility) ? null : legibility;
  }

  sighting(row: number, { day, observer }: Placed): Sighting {
    const assetType = this.#assetTypes.text(number(this.#assetType, row));
    return {
      id: row,
      asset: number(this.#asset, row),
      assetType,
      source: this.#sources.text(number(this.#source, row)),
      observer,
      observedAt: number(this.#observedAt, row),
      day,
      cell: this.#cells.text(number(this.#cell, row)),
      fine: assetType !== "vehicle_wrap",
      publishedAt: number(this.#publishedAt, row),
      archived: this.#archived[row] === 1,
      verdict: VERDICTS[number(this.#verdict, row)],
    };
  }

  details(row: number): SightingDetails {
    return {
      acceptedAt: number(this.#acceptedAt, row),
      reprocessedAt: this.#reprocessedAt.get(row) ?? null,
      recognitionModelVersion: this.#models.text(number(this.#model, row)) || null,
      methodologyVersion: this.#methodologies.text(number(this.#methodology, row)),
      presenceKind: this.presenceKind(row),
      ledgerHash: this.#hashes.subarray(row * HASH_BYTES, (row + 1) * HASH_BYTES),
    };
  }
}

function number(column: Uint8Array | Uint32Array | Float64Array, row: number): number {
  const value = column[row];
  if (value === undefined)
    throw new RangeError(`row ${row} is not in the ledger's first ${column.length - 1} rows`);
  return value;
}
