import type { Database } from "better-sqlite3";
import { prefixLength } from "../../kernel/prefix-length.ts";
import { selection, values } from "../../kernel/table.ts";
import { ASSET, type AssetRow, type ObservationRow, type RecordCellRow } from "../rows.ts";
import { lastRead, observationsOn, packer, type StoredObservation } from "../tables/packed.ts";
import { OBSERVATIONS_A_PAGE, observationColumns, observationPages, records } from "../tables/records.ts";
import type { changeQueries } from "./change-queries.ts";
import { isWithin, ObservationColumns, type Observed, observedTimes } from "./observation-columns.ts";

interface PublishedSince {
  readonly publishedSince?: number | undefined; // ms, inclusive
}

interface Page extends PublishedSince {
  readonly observed?: Observed | undefined;
  readonly offset?: number;
  readonly limit: number;
}

/** The observations of a record stand newest published first, so those since a time are its first ones. */
export function observationQueries(
  reader: ObservationReader,
  assetsOf: (record: number) => readonly AssetRow[],
  { changesOf }: ReturnType<typeof changeQueries>,
) {
  const countOf = (span: ObservationSpan, { publishedSince }: PublishedSince) =>
    publishedSince === undefined ? span.count : reader.countSince(span, publishedSince);
  return {
    /** Ledger rows of all observations of a record, ascending. */
    observationRowsOf: (record: number) => reader.rows(reader.span(record)),
    /** The observations of a record as they are stored, newest published first. */
    storedObservationsOf: (record: number): Iterable<StoredObservation> => reader.all(reader.span(record)),
    /**
     * Observations of a record, newest published first, then highest id, `offset` of them left out; any offset costs the same, but
     * with `observed` all of them are read.
     */
    observationsOf(record: number, { publishedSince, observed, offset = 0, limit }: Page): ObservationRow[] {
      const span = reader.span(record);
      const count = countOf(span, { publishedSince });
      const assets = new Map(assetsOf(record).map((asset) => [asset.id, asset]));
      const rows =
        observed === undefined
          ? [...reader.between(span, offset, Math.min(count, offset + limit))]
          : [...reader.between(span, 0, count)]
              .filter(({ observedAt }) => isWithin(observedAt, observed))
              .slice(offset, offset + limit);
      const changes = changesOf(rows);
      return rows.map((row) => withAsset(row, assets, changes.get(row.id) ?? NO_CHANGES));
    },
    /** How many observations `observationsOf` has, rejected ones included. */
    observationCountOf(record: number, { observed, ...published }: Omit<Page, "offset" | "limit">): number {
      const span = reader.span(record);
      const count = countOf(span, published);
      if (observed === undefined) return count;
      let found = 0;
      for (const { observedAt } of reader.between(span, 0, count))
        if (isWithin(observedAt, observed)) found += 1;
      return found;
    },
    /** The cells in which a record was observed, by cell; rejected observations do not count. */
    cellsOf: (publicId: string): RecordCellRow[] => cellsIn(reader.all(reader.spanOf(publicId))),
    /** When the record's observations of a time span were made (ms, both inclusive), each instant once, the latest first. */
    observationTimes(publicId: string, from: number, to: number): number[] {
      const times = new Set<number>();
      for (const { observedAt } of reader.all(reader.spanOf(publicId)))
        if (observedAt >= from && observedAt <= to) times.add(observedAt);
      return [...times].sort((a, b) => b - a);
    },
    /** State of an observation in this release; undefined when it shows none of that row for that record. */
    stateOfRow(row: number, publicId: string): StoredObservation["state"] | undefined {
      for (const { id, state } of reader.all(reader.spanOf(publicId))) if (id === row) return state;
      return undefined;
    },
  };
}

/** The records of a cell, each with its sightings there; rejected ones are left out. */
export interface CellRecordRow extends RecordCellRow {
  readonly publicId: string;
  readonly name: string;
  readonly isSynthetic: boolean;
}

const { publicId, name, isSynthetic } = records.columns;
const IN_CELLS = selection({
  publicId,
  name,
  isSynthetic,
  first: records.columns.observationsFrom,
  count: records.columns.rowCount,
});
const FACTS = selection({ facts: observationPages.columns.facts, seq: observationPages.columns.seq });
const { cell, state, observedAt } = observationColumns;
/** A fifth of the columns, at a fifth of the cost: all observations of a city are read. */
const { unpack: placesOn } = packer({ cell, state, observedAt });

export function cellRecordQueries(db: Database) {
  const recordsIn = IN_CELLS.prepare<[slug: string]>(
    db,
    "FROM records WHERE city = ? AND merged_into IS NULL AND cell_count > 0 ORDER BY public_id",
  );
  const pages = FACTS.prepare<[from: number, end: number]>(
    db,
    "FROM observation_pages WHERE seq >= ? AND seq < ? ORDER BY seq",
  );
  return {
    /** The records in each cell of a city, by public id. The places of mobile assets are larger cells of their own. */
    cellRecordsOf: lastRead((slug: string): ReadonlyMap<string, readonly CellRecordRow[]> => {
      const rows = recordsIn.all(slug).flatMap(({ first, count, ...record }) => {
        const places = pages
          .all(first, first + count)
          .flatMap(({ facts, seq }) => placesOn(facts, Math.min(OBSERVATIONS_A_PAGE, first + count - seq)));
        return cellsIn(places).map((seen) => ({ ...record, ...seen }));
      });
      return Map.groupBy(rows, (row) => row.cell);
    }),
  };
}

type Place = Pick<StoredObservation, "cell" | "state" | "observedAt">;

function cellsIn(places: Iterable<Place>): RecordCellRow[] {
  const cells = new Map<string, RecordCellRow>();
  for (const { cell, state, observedAt } of places) {
    if (state === "rejected") continue;
    const { observations = 0, lastObserved = observedAt } = cells.get(cell) ?? {};
    cells.set(cell, {
      cell,
      observations: observations + 1,
      lastObserved: Math.max(lastObserved, observedAt),
    });
  }
  return [...cells.values()].sort((a, b) => (a.cell < b.cell ? -1 : 1));
}

const { observationsFrom, rowCount } = records.columns;
const SPAN = selection({ first: observationsFrom, count: rowCount });
const { seq: _, ...onPage } = observationPages.columns;
const PAGE = selection(onPage);

const CITY_PAGE = selection({ record: records.columns.publicId, ...onPage });
const OF_CITY = "FROM records WHERE city = ? AND merged_into IS NULL";

/** All observations of a city, merged records left out, at a fraction of what each record costs alone. */
export function cityObservationQueries(db: Database, { changesOfMany }: ReturnType<typeof changeQueries>) {
  const pages = CITY_PAGE.prepare<[slug: string]>(
    db,
    `FROM (SELECT id, public_id, observations_from, row_count ${OF_CITY} ORDER BY id) records
     CROSS JOIN observation_pages ON seq >= observations_from AND seq < observations_from + row_count`,
  );
  const assets = ASSET.prepare<[slug: string]>(
    db,
    `FROM assets WHERE record IN (SELECT id ${OF_CITY}) ORDER BY id`,
  );
  return {
    observationColumns(slug: string, span: Observed): ObservationColumns {
      const columns = new ObservationColumns(assets.all(slug), changesOfMany);
      for (const page of pages.iterate(slug)) columns.add(page, span);
      return columns;
    },
    /** How many were made at each time (ms). */
    observedTimes(slug: string): Map<number, number> {
      const counts = new Map<number, number>();
      for (const page of pages.iterate(slug))
        for (const time of observedTimes(page)) counts.set(time, (counts.get(time) ?? 0) + 1);
      return counts;
    },
    /** Changes where anything does that `observationsOf` returns of a record of the city. */
    *observationContent(slug: string): Generator<string | Uint8Array> {
      for (const { id, publicId, assetType, isMobile } of assets.all(slug))
        yield JSON.stringify([id, publicId, assetType, isMobile]);
      const ids: { readonly id: number }[] = [];
      for (const { record, rows, facts, ledgerHashes } of pages.iterate(slug)) {
        for (const id of rows) ids.push({ id });
        yield JSON.stringify([record, rows]);
        yield facts;
        yield ledgerHashes;
      }
      yield JSON.stringify([...changesOfMany(ids)].sort(([a], [b]) => a - b));
    },
  };
}

const NO_CHANGES: readonly number[] = [];

function withAsset(
  row: StoredObservation,
  assets: ReadonlyMap<number, AssetRow>,
  changedBy: readonly number[],
): ObservationRow {
  const asset = assets.get(row.asset);
  if (asset === undefined) throw new RangeError(`row ${row.id}: its asset ${row.asset} is not of its record`);
  const { publicId: assetPublicId, assetType, isMobile } = asset;
  return { ...row, assetPublicId, assetType, isMobile, changedBy };
}

/** Where the observations of a record lie. */
export interface ObservationSpan {
  readonly first: number; // number of the first one
  readonly count: number;
}

const NONE: ObservationSpan = { first: 0, count: 0 };

export type ObservationReader = ReturnType<typeof observationReader>;

/** Reads the observations of a record, newest published first. */
export function observationReader(db: Database) {
  const pageAt = PAGE.prepare<[seq: number]>(db, "FROM observation_pages WHERE seq = ?");
  const page = lastRead((seq: number): readonly StoredObservation[] => {
    const stored = pageAt.get(seq);
    return stored === undefined ? [] : observationsOn(stored);
  });
  const spanOfRecord = lastRead(SPAN.prepare<[record: number]>(db, "FROM records WHERE id = ?").get);
  const spanOfId = lastRead(SPAN.prepare<[publicId: string]>(db, "FROM records WHERE public_id = ?").get);
  const pages = PAGE.prepare<[from: number, end: number]>(
    db,
    "FROM observation_pages WHERE seq >= ? AND seq < ? ORDER BY seq",
  );
  const rows = values<[from: number, end: number], string>(
    db,
    "SELECT rows FROM observation_pages WHERE seq >= ? AND seq < ?",
  );
  function* between({ first }: ObservationSpan, from: number, end: number): Generator<StoredObservation> {
    for (let start = from - (from % OBSERVATIONS_A_PAGE); start < end; start += OBSERVATIONS_A_PAGE)
      yield* page(first + start).slice(Math.max(0, from - start), end - start);
  }
  return {
    /** By the ledger row of the record. */
    span: (record: number) => spanOfRecord(record) ?? NONE,
    spanOf: (publicId: string) => spanOfId(publicId) ?? NONE,
    /** Those at the places `from` to `end`, which is not among them. */
    between,
    all: (span: ObservationSpan) => between(span, 0, span.count),
    /** As they are stored. */
    pages: ({ first, count }: ObservationSpan) => pages.all(first, first + count),
    /** Ledger rows, ascending. */
    rows: ({ first, count }: ObservationSpan): number[] =>
      rows
        .all(first, first + count)
        .flatMap((own): number[] => JSON.parse(own))
        .sort((a, b) => a - b),
    /** How many of them were published at or after a time (ms): the first ones. */
    countSince({ first, count }: ObservationSpan, since: number): number {
      const publishedAt = (at: number) => {
        const place = at % OBSERVATIONS_A_PAGE;
        return page(first + at - place)[place]?.publishedAt ?? 0;
      };
      return prefixLength(count, (at) => publishedAt(at) >= since);
    },
  };
}
