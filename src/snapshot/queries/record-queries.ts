import type { Database } from "better-sqlite3";
import {
  ASSET,
  type AssetRow,
  type EvidenceMix,
  OBSERVATION,
  type ObservationRow,
  RECORD,
  RECORD_CELL,
  type RecordCellRow,
  type RecordRow,
} from "../rows.ts";
import { prefixLength } from "../search/prefix-length.ts";
import { NO_MIX, records } from "../tables/records.ts";
import { selection } from "../tables/selection.ts";

const MIX = selection({ evidenceMix: records.columns.evidenceMix });

/** Observations that count for a record now: `seq` is in its range. */
export const OF_RECORD =
  "records JOIN observations ON seq >= observations_from AND seq < observations_from + row_count";

interface PublishedSince {
  readonly publishedSince?: number | undefined; // ms, inclusive
}

export interface RecordQueries {
  /** A record by its public id; a merged one too (`mergedInto` then names the one that stays). */
  record(publicId: string): RecordRow | undefined;
  /** Public ids in display order, merged records left out. */
  publicIds(): Iterable<string>;
  /** Public ids of merged records, each with that of the record that stays, in order. */
  mergedIds(): Iterable<{ readonly publicId: string; readonly mergedInto: string }>;
  /** How many records `publicIds` has: their positions run from 1 to it. */
  recordCount(): number;
  /** Records between two positions, both inclusive, with the time of their last publication (null without observations). */
  publicationTimes(from: number, to: number): { publicId: string; lastPublished: number | null }[];
  /** Assets of a record (its ledger row id), oldest row first. */
  assetsOf(record: number): AssetRow[];
  /** Public id of the record that has the asset of a public id. Reads all assets. */
  recordOfAsset(publicId: string): string | undefined;
  /** Observations of a record, newest published first, then highest id, `offset` of them left out; any offset costs the same. */
  observationsOf(
    record: number,
    options: PublishedSince & { readonly offset?: number; readonly limit: number },
  ): ObservationRow[];
  /** How many observations `observationsOf` has, rejected ones included. */
  observationCountOf(record: number, options: PublishedSince): number;
  /** The cells in which a record was observed, by cell; observations that are rejected do not count. */
  cellsOf(publicId: string): RecordCellRow[];
  /** Counts over the observations of a record. */
  evidenceMix(record: number): EvidenceMix;
}

export function recordQueries(db: Database): RecordQueries {
  const byPublicId = RECORD.prepare<[string]>(db, "FROM records WHERE public_id = ?");
  const publicIds = db
    .prepare<[], string>("SELECT public_id FROM records WHERE merged_into IS NULL ORDER BY position")
    .pluck();
  const mergedIds = db.prepare<[], { publicId: string; mergedInto: string }>(
    `SELECT r.public_id AS publicId, r.merged_into AS mergedInto FROM records r
       JOIN records stays ON stays.public_id = r.merged_into ORDER BY r.public_id`,
  );
  const lastPosition = db
    .prepare<[], number>(
      "SELECT position FROM records WHERE merged_into IS NULL ORDER BY position DESC LIMIT 1",
    )
    .pluck();
  const publications = db.prepare<[number, number], { publicId: string; lastPublished: number | null }>(
    `SELECT public_id AS publicId, o.published_at AS lastPublished FROM records r
       LEFT JOIN observations o ON o.seq = r.observations_from AND r.row_count > 0
     WHERE merged_into IS NULL AND position BETWEEN ? AND ? ORDER BY position`,
  );
  const assets = ASSET.prepare<[number]>(db, "FROM assets WHERE record = ? ORDER BY id");
  const owner = db
    .prepare<[string], string>(
      "SELECT r.public_id FROM assets a JOIN records r ON r.id = a.record WHERE a.public_id = ?",
    )
    .pluck();
  const cells = RECORD_CELL.prepare<[string]>(
    db,
    `FROM ${OF_RECORD} WHERE public_id = ? AND state <> 'rejected' GROUP BY cell ORDER BY cell`,
  );
  const mix = MIX.prepare<[number]>(db, "FROM records WHERE id = ?");
  return {
    record: (publicId) => byPublicId.get(publicId),
    publicIds: () => publicIds.iterate(),
    mergedIds: () => mergedIds.all(),
    recordCount: () => lastPosition.get() ?? 0,
    publicationTimes: (from, to) => publications.all(from, to),
    assetsOf: (record) => assets.all(record),
    recordOfAsset: (publicId) => owner.get(publicId),
    ...observationQueries(db),
    cellsOf: (publicId) => cells.all(publicId),
    evidenceMix: (record) => mix.get(record)?.evidenceMix ?? NO_MIX,
  };
}

/** The observations of a record are a range of rowids, newest published first, so those since a time are its first ones. */
function observationQueries(db: Database): Pick<RecordQueries, "observationsOf" | "observationCountOf"> {
  const span = db.prepare<[number], { first: number; count: number }>(
    "SELECT observations_from AS first, row_count AS count FROM records WHERE id = ?",
  );
  const publishedAt = db
    .prepare<[number], number>("SELECT published_at FROM observations WHERE seq = ?")
    .pluck();
  const between = OBSERVATION.prepare<[number, number]>(
    db,
    "FROM observations JOIN assets ON assets.id = asset WHERE seq >= ? AND seq < ? ORDER BY seq",
  );
  const found = (record: number, { publishedSince }: PublishedSince) => {
    const { first, count } = span.get(record) ?? { first: 0, count: 0 };
    if (publishedSince === undefined) return { first, count };
    return {
      first,
      count: prefixLength(count, (at) => (publishedAt.get(first + at) ?? 0) >= publishedSince),
    };
  };
  return {
    observationsOf(record, { publishedSince, offset = 0, limit }) {
      const { first, count } = found(record, { publishedSince });
      return between.all(first + offset, first + Math.min(count, offset + limit));
    },
    observationCountOf: (record, options) => found(record, options).count,
  };
}
