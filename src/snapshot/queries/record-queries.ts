import type { Database } from "better-sqlite3";
import { ASSET, OBSERVATION, RECORD, RECORD_CELL } from "../rows.ts";
import { prefixLength } from "../search/prefix-length.ts";
import { integer, text } from "../tables/column.ts";
import { lastRead } from "../tables/last-read.ts";
import { NO_MIX, observations, records } from "../tables/records.ts";
import { selection, values } from "../tables/selection.ts";

/** Observations that count for a record now: `seq` is in its range. */
export const OF_RECORD =
  "records JOIN observations ON seq >= observations_from AND seq < observations_from + row_count";

const { publicId, evidenceMix, observationsFrom, rowCount } = records.columns;
const MIX = selection({ evidenceMix });
const SPAN = selection({ first: observationsFrom, count: rowCount });
const MERGED_ID = selection({ publicId, mergedInto: text().as("records.merged_into") });
const PUBLICATION = selection({
  publicId,
  lastPublished: integer().nullable().as(observations.columns.publishedAt.sql),
});

export function recordQueries(db: Database) {
  const lastPosition = values<[], number>(
    db,
    "SELECT position FROM records WHERE merged_into IS NULL ORDER BY position DESC LIMIT 1",
  );
  const mix = MIX.prepare<[record: number]>(db, "FROM records WHERE id = ?");
  return {
    /** A record by its public id; a merged one too (`mergedInto` then names the one that stays). */
    record: lastRead(RECORD.prepare<[publicId: string]>(db, "FROM records WHERE public_id = ?").get),
    /** Public ids in display order, merged records left out. */
    publicIds: values<[], string>(
      db,
      "SELECT public_id FROM records WHERE merged_into IS NULL ORDER BY position",
    ).iterate,
    /** Public ids of merged records, each with that of the record that stays, in order. */
    mergedIds: MERGED_ID.prepare(
      db,
      "FROM records JOIN records stays ON stays.public_id = records.merged_into ORDER BY records.public_id",
    ).all,
    /** How many records `publicIds` has: their positions run from 1 to it. */
    recordCount: () => lastPosition.get() ?? 0,
    /** Records between two positions, both inclusive, with the time of their last publication (null without observations). */
    publicationTimes: PUBLICATION.prepare<[from: number, to: number]>(
      db,
      `FROM records LEFT JOIN observations ON seq = observations_from AND row_count > 0
       WHERE merged_into IS NULL AND position BETWEEN ? AND ? ORDER BY position`,
    ).all,
    /** Assets of a record (its ledger row id), oldest row first. */
    assetsOf: lastRead(ASSET.prepare<[record: number]>(db, "FROM assets WHERE record = ? ORDER BY id").all),
    /** Public id of the record that has the asset of a public id. Reads all assets. */
    recordOfAsset: values<[publicId: string], string>(
      db,
      "SELECT r.public_id FROM assets a JOIN records r ON r.id = a.record WHERE a.public_id = ?",
    ).get,
    ...observationQueries(db),
    /** The cells in which a record was observed, by cell; rejected observations do not count. */
    cellsOf: RECORD_CELL.prepare<[publicId: string]>(
      db,
      `FROM ${OF_RECORD} WHERE public_id = ? AND state <> 'rejected' GROUP BY cell ORDER BY cell`,
    ).all,
    /** Counts over the observations of a record. */
    evidenceMix: lastRead((record: number) => mix.get(record)?.evidenceMix ?? NO_MIX),
  };
}

interface PublishedSince {
  readonly publishedSince?: number | undefined; // ms, inclusive
}

interface Page extends PublishedSince {
  readonly offset?: number;
  readonly limit: number;
}

/** The observations of a record are a range of rowids, newest published first, so those since a time are its first ones. */
function observationQueries(db: Database) {
  const span = lastRead(SPAN.prepare<[record: number]>(db, "FROM records WHERE id = ?").get);
  const publishedAt = values<[seq: number], number>(
    db,
    "SELECT published_at FROM observations WHERE seq = ?",
  );
  const between = OBSERVATION.prepare<[from: number, end: number]>(
    db,
    "FROM observations JOIN assets ON assets.id = asset WHERE seq >= ? AND seq < ? ORDER BY seq",
  );
  const rangeOf = (record: number, { publishedSince }: PublishedSince) => {
    const { first, count } = span(record) ?? { first: 0, count: 0 };
    if (publishedSince === undefined) return { first, count };
    const isSince = (at: number) => (publishedAt.get(first + at) ?? 0) >= publishedSince;
    return { first, count: prefixLength(count, isSince) };
  };
  const rowIds = values<[from: number, end: number], number>(
    db,
    "SELECT id FROM observations WHERE seq >= ? AND seq < ? ORDER BY id",
  );
  return {
    /** Ledger rows of all observations of a record, ascending. */
    observationRowsOf(record: number): number[] {
      const { first, count } = rangeOf(record, {});
      return rowIds.all(first, first + count);
    },
    /** Observations of a record, newest published first, then highest id, `offset` of them left out; any offset costs the same. */
    observationsOf(record: number, { publishedSince, offset = 0, limit }: Page) {
      const { first, count } = rangeOf(record, { publishedSince });
      return between.all(first + offset, first + Math.min(count, offset + limit));
    },
    /** How many observations `observationsOf` has, rejected ones included. */
    observationCountOf: (record: number, options: PublishedSince) => rangeOf(record, options).count,
  };
}
