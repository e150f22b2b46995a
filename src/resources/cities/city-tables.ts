import { createHash } from "node:crypto";
import type { CityTableName } from "../../contract/service/city-tables.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { CityRow, ObservationRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { recordFacts } from "../records/entity.ts";
import { assetWire, observationWire } from "../records/observations.ts";
import { changeEvent } from "./pulse.ts";

type Row = Readonly<Record<string, unknown>>;

/** Rows that memory holds at once while a table is sorted. */
const ROWS_AT_ONCE = 200_000;
/** Observations of a large city that a patch release does not make anew: making so many takes seconds, and the patch has a minute. */
const MOST_ROWS_OF_A_PATCH = 200_000;
/** A group has at least so many rows and days: any 30 days are in two groups, and a small city is one. */
const GROUP = { rows: 20_000, days: 30 };

export class CityTablesSource {
  readonly city: CityRow;
  readonly #snapshot: Snapshot;
  readonly #records: readonly RecordRow[];
  readonly #rowsAtOnce: number;

  constructor(snapshot: Snapshot, city: CityRow, rowsAtOnce = ROWS_AT_ONCE) {
    this.city = city;
    this.#snapshot = snapshot;
    this.#records = snapshot.recordsOf(city.slug);
    this.#rowsAtOnce = rowsAtOnce;
  }

  /** Whether an erasure changed a city that is too large to be made anew within the minute of a patch release. */
  isWithheld(most = MOST_ROWS_OF_A_PATCH): boolean {
    return this.city.carriedOverAt !== null && this.#rowCount() > most;
  }

  /** Changes where any row of the observations does; nothing in it depends on the day of the release. */
  observationsDigest(): string {
    const { city } = this;
    const { baseUrl, siteName, environment, sourceRevision } = this.#snapshot.release();
    const place = [city.slug, city.name, city.region, city.country, city.lng];
    const frame = [PROGRAM_VERSION, sourceRevision, baseUrl, siteName, environment, ...place];
    const digest = createHash("sha256");
    const take = (part: string | Uint8Array) => digest.update(`${part.length}:`).update(part);
    take(JSON.stringify(frame));
    take(JSON.stringify(this.#records.map(({ publicId }) => publicId)));
    for (const part of this.#snapshot.observationContent(this.#records)) take(part);
    return digest.digest("hex");
  }

  /** Groups of rows that follow each other, as the API answers them. */
  rows(table: CityTableName): Iterable<Iterable<Row>> {
    if (table === "observations") return this.#observations();
    const rows = { records: this.#recordRows(), assets: this.#assetRows(), events: this.#eventRows() };
    return pieces(rows[table], GROUP.rows);
  }

  *#recordRows(): Generator<Row> {
    const { city } = this;
    const { baseUrl } = this.#snapshot.release();
    for (const record of this.#records) {
      const { entity, presence_score, stats } = recordFacts({ record, city }, baseUrl);
      yield { ...entity, ...presence_score, ...stats };
    }
  }

  *#assetRows(): Generator<Row> {
    for (const record of this.#records)
      for (const asset of this.#snapshot.assetsOf(record.id))
        yield { ...keysOf(this.city, record), ...assetWire(asset, this.city) };
  }

  *#eventRows(): Generator<Row> {
    const { slug } = this.city;
    const { baseUrl } = this.#snapshot.release();
    for (const event of this.#snapshot.eventsOf(slug, { since: 0, limit: Number.MAX_SAFE_INTEGER }))
      yield { city_slug: slug, ...changeEvent(event, baseUrl) };
  }

  /**
   * From the oldest day to the newest. A city of a million rows takes a few passes over what is stored. Each row is made when it is
   * asked for: rows that die young cost a third of those that memory holds.
   */
  *#observations(): Generator<Iterable<Row>> {
    const isOne = this.#rowCount() <= this.#rowsAtOnce;
    for (const span of isOne ? [ALL_TIME] : spansOf(this.#observedTimes(), this.#rowsAtOnce)) {
      const placed = this.#snapshot
        .observationsOfAll(this.#records, span)
        .sort((a, b) => a.stored.observedAt - b.stored.observedAt || a.stored.id - b.stored.id);
      let from = 0;
      for (const { rows } of spansOf(
        placed.map(({ stored }) => stored),
        GROUP.rows,
      )) {
        yield this.#observationRows(placed.slice(from, from + rows));
        from += rows;
      }
    }
  }

  *#observationRows(placed: readonly PlacedObservation[]): Generator<Row> {
    const { baseUrl } = this.#snapshot.release();
    for (const { record, row } of placed)
      yield Object.assign(observationWire(row(), this.city, baseUrl), keysOf(this.city, record));
  }

  *#observedTimes(): Generator<Observed> {
    for (const { id } of this.#records) yield* this.#snapshot.storedObservationsOf(id);
  }

  #rowCount(): number {
    return this.#records.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }
}

interface Span {
  readonly from: number; // ms
  end: number; // exclusive
  rows: number;
}

const ALL_TIME = { from: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** An observation in the order of its file. */
interface PlacedObservation {
  readonly record: RecordRow;
  readonly row: () => ObservationRow;
}

interface Observed {
  readonly observedAt: number; // ms
}

/** Spans of whole days, each with at least so many rows and 30 days; what is left at the end goes to the last one. */
function spansOf(observed: Iterable<Observed>, leastRows: number): Span[] {
  const days = new Map<number, number>();
  for (const { observedAt: day } of observed) days.set(day, (days.get(day) ?? 0) + 1);
  const isWhole = ({ from, rows }: Span, end: number) =>
    rows >= leastRows && end - from >= GROUP.days * DAY_MS;
  const spans: Span[] = [];
  for (const [day, count] of [...days].sort(([a], [b]) => a - b)) {
    const last = spans.at(-1);
    if (last === undefined || isWhole(last, day)) spans.push({ from: day, end: day + 1, rows: count });
    else extend(last, day + 1, count);
  }
  const [before, last] = spans.slice(-2);
  if (before === undefined || last === undefined || isWhole(last, last.end + DAY_MS)) return spans;
  extend(before, last.end, last.rows);
  return spans.slice(0, -1);
}

function extend(span: Span, end: number, rows: number): void {
  span.end = end;
  span.rows += rows;
}

function* pieces(rows: Iterable<Row>, size: number): Generator<readonly Row[]> {
  let piece: Row[] = [];
  for (const row of rows) {
    piece.push(row);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

function keysOf({ slug }: CityRow, { publicId }: RecordRow) {
  return { city_slug: slug, record_public_id: publicId };
}
