import type { Database } from "better-sqlite3";
import { selection, text, values } from "../../kernel/table.ts";
import { ASSET, RECORD } from "../rows.ts";
import { lastRead } from "../tables/last-read.ts";
import { NO_MIX, records } from "../tables/records.ts";
import { changeQueries } from "./change-queries.ts";
import { observationQueries } from "./observation-queries.ts";
import type { ObservationReader } from "./observation-reader.ts";

const { publicId, evidenceMix, lastPublished } = records.columns;
const MIX = selection({ evidenceMix });
const MERGED_ID = selection({ publicId, mergedInto: text().as("records.merged_into") });
const PUBLICATION = selection({ publicId, lastPublished });

const IDS_AT_ONCE = 1000;

export function recordQueries(db: Database, observations: ObservationReader) {
  const lastPosition = values<[], number>(
    db,
    "SELECT position FROM records WHERE merged_into IS NULL ORDER BY position DESC LIMIT 1",
  );
  const idsBetween = values<[from: number, to: number], string>(
    db,
    "SELECT public_id FROM records WHERE merged_into IS NULL AND position BETWEEN ? AND ? ORDER BY position",
  ).all;
  const assetsOf = lastRead(
    ASSET.prepare<[record: number]>(db, "FROM assets WHERE record = ? ORDER BY id").all,
  );
  const mix = MIX.prepare<[record: number]>(db, "FROM records WHERE id = ?");
  return {
    /** A record by its public id; a merged one too (`mergedInto` then names the one that stays). */
    record: lastRead(RECORD.prepare<[publicId: string]>(db, "FROM records WHERE public_id = ?").get),
    /** Public ids in display order, merged records left out. Several callers may be on their way through them. */
    *publicIds(): Iterable<string> {
      const last = lastPosition.get() ?? 0;
      for (let from = 0; from < last; from += IDS_AT_ONCE) yield* idsBetween(from + 1, from + IDS_AT_ONCE);
    },
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
      "FROM records WHERE merged_into IS NULL AND position BETWEEN ? AND ? ORDER BY position",
    ).all,
    /** Assets of a record (its ledger row id), oldest row first. */
    assetsOf,
    /** Public id of the record that has the asset of a public id. Reads all assets. */
    recordOfAsset: values<[publicId: string], string>(
      db,
      "SELECT r.public_id FROM assets a JOIN records r ON r.id = a.record WHERE a.public_id = ?",
    ).get,
    ...observationQueries(observations, assetsOf, changeQueries(db)),
    /** Counts over the observations of a record. */
    evidenceMix: lastRead((record: number) => mix.get(record)?.evidenceMix ?? NO_MIX),
  };
}
