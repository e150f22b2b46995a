import { createHash } from "node:crypto";
import { CITY_TABLES, type CityTableName } from "../../contract/service/city-tables.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import type { Coded, ColumnGroup, ColumnValues } from "../../kernel/coded-column.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { ObservationColumns } from "../../snapshot/queries/observation-columns.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { recordFacts } from "../records/entity.ts";
import { assetWire, OBSERVATION_FIELDS } from "../records/observations.ts";
import { changeEvent } from "./pulse.ts";

type Row = Readonly<Record<string, unknown>>;

/** Rows that memory holds at once while a table is sorted, at some 100 bytes each. */
const ROWS_AT_ONCE = 500_000;
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
    for (const part of this.#snapshot.observationContent(city.slug)) take(part);
    return digest.digest("hex");
  }

  /** Groups of rows that follow each other, as the API answers them, column by column. */
  groups(table: CityTableName): Iterable<ColumnGroup> {
    const columns = Object.keys(CITY_TABLES[table].row.shape);
    if (table === "observations") return this.#observations(columns);
    const rows = { records: this.#recordRows(), assets: this.#assetRows(), events: this.#eventRows() };
    return inGroups(rows[table], columns);
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

  /** From the oldest day to the newest. A city of very many rows takes a few passes over what is stored. */
  *#observations(columns: readonly string[]): Generator<ColumnGroup> {
    const isOne = this.#rowCount() <= this.#rowsAtOnce;
    const spans = isOne
      ? [ALL_TIME]
      : spansOf(this.#snapshot.observedTimes(this.city.slug), this.#rowsAtOnce);
    for (const span of spans) {
      const stored = this.#snapshot.observationColumns(this.city.slug, span);
      const made = columns.map((name) => [name, this.#column(stored, name)] as const);
      const order = stored.inOrder();
      let from = 0;
      for (const { rows } of spansOf(stored.observedTimes(), GROUP.rows)) {
        const places = order.slice(from, from + rows);
        const own = ({ of, at }: Coded) => ({ of, at: places.map((place) => at[place] ?? 0) });
        yield { rows, columns: new Map(made.map(([name, column]) => [name, own(column)])) };
        from += rows;
      }
    }
  }

  #column(stored: ObservationColumns, name: string): Coded {
    if (name === "city_slug") return stored.made([], () => this.city.slug);
    if (name === "record_public_id") return stored.records;
    const field = OBSERVATION_FIELDS[name];
    if (field === undefined) throw new RangeError(`observations have no field ${name}`);
    const place = { city: this.city, baseUrl: this.#snapshot.release().baseUrl };
    return stored.made(field.needs, (facts) => field.of(facts, place));
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

/** Spans of whole days, each with at least so many rows and 30 days; what is left at the end goes to the last one. */
function spansOf(days: ReadonlyMap<number, number>, leastRows: number): Span[] {
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

/** A group of rows that readers can fetch by itself. */
function* inGroups(rows: Iterable<Row>, names: readonly string[]): Generator<ColumnGroup> {
  const all = [...rows];
  for (let from = 0; from < all.length; from += GROUP.rows) {
    const group = all.slice(from, from + GROUP.rows);
    const column = (name: string): ColumnValues => ({ of: group.map((row) => row[name]) });
    yield { rows: group.length, columns: new Map(names.map((name) => [name, column(name)])) };
  }
}

function keysOf({ slug }: CityRow, { publicId }: RecordRow) {
  return { city_slug: slug, record_public_id: publicId };
}
