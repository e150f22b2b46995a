import type { Database } from "better-sqlite3";
import type { AssetType, PresenceKind, SourceType } from "../../contract/enums.ts";
import { selection, text, values } from "../../kernel/table.ts";
import { DAY_MS, isoDate, solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import { type CitedEvidence, citedEvidence } from "../../method/citation.ts";
import { countsHoldUntil, setAsideReason } from "../../method/standing/counting.ts";
import { judge } from "../../method/standing/verification.ts";
import type { Sighting } from "../../method/types.ts";
import { ASSET, RECORD } from "../rows.ts";
import { lastRead, type StoredObservation } from "../tables/packed.ts";
import { NO_MIX, records } from "../tables/records.ts";
import { changeQueries } from "./change-queries.ts";
import { isWithin, type Observed } from "./observation-columns.ts";
import { cityObservationQueries, type ObservationReader, observationQueries } from "./observation-queries.ts";

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
  const changes = changeQueries(db);
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
    ...observationQueries(observations, assetsOf, changes),
    ...cityObservationQueries(db, changes),
    /** Counts over the observations of a record. */
    evidenceMix: lastRead((record: number) => mix.get(record)?.evidenceMix ?? NO_MIX),
  };
}

/**
 * The last date (in the solar time of `lng`) on which these observations of one record meet the ranking gate's counts, if nothing is
 * seen any more; null where they do not.
 */
export function evidenceHoldsUntil(observations: readonly StoredObservation[], lng: number): string | null {
  const offset = solarOffsetHours(lng);
  const last = countsHoldUntil(
    observations
      .filter(({ state, setAside }) => state !== "rejected" && setAside === null)
      .map(({ observedAt, observerTag: observer }) => ({
        day: solarDayNumber(observedAt, offset),
        observer,
      })),
  );
  return last === undefined ? null : isoDate(last * DAY_MS);
}

/** An observation as in its ledger row, with the last decisions that the release knew. */
export interface PastObservation {
  readonly id: number;
  readonly record: number;
  readonly asset: number;
  readonly assetType: AssetType;
  readonly source: SourceType;
  readonly tag: string; // of the row
  readonly counts: boolean;
  readonly observedAt: number; // ms
  readonly kind: PresenceKind;
  readonly verdict: Sighting["verdict"];
}

/** How a release counted the observations of a record. */
interface PastCounting {
  readonly merges: Merges;
  readonly lng: number; // degrees
  readonly observed: Observed | undefined; // what is counted; undefined: all of it
}

/**
 * The record's evidence in a release of those observations: its accepted rows, newest observed first, and the cited counts. Undefined
 * without observations. What others saw at another time may corroborate those that are counted.
 */
export function pastEvidence(
  observations: readonly PastObservation[],
  { merges, lng, observed }: PastCounting,
): { readonly cited: CitedEvidence; readonly rows: readonly number[] } | undefined {
  if (observations.length === 0) return undefined;
  const offset = solarOffsetHours(lng);
  const all = judge(
    observations.map((observation) => ({
      ...observation,
      observer: merges.rootTag(observation.record, observation.tag),
      setAside: setAsideReason(observation),
      day: solarDayNumber(observation.observedAt, offset),
    })),
  );
  const judged = all.filter(({ observedAt }) => isWithin(observedAt, observed));
  const kinds = new Map(observations.map(({ id, kind }) => [id, kind]));
  const accepted = judged
    .filter(({ state }) => state !== "rejected")
    .sort((a, b) => b.observedAt - a.observedAt || b.id - a.id);
  return {
    cited: citedEvidence(judged, (row) => kinds.get(row) ?? "brand_mention"),
    rows: accepted.map(({ id }) => id),
  };
}
