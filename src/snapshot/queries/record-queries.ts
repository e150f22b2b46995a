import type { Database } from "better-sqlite3";
import type {
  AssetStatus,
  AssetType,
  EntityStatus,
  IdentityStatus,
  IndustryState,
  OnlinePresence,
  PresenceKind,
  RecordStatus,
  SourceType,
  VerificationState,
} from "../../contract/enums.ts";
import { NOTHING_CITED } from "../../method/citation.ts";
import type { AssetRow, EvidenceMix, ObservationRow, RecordCellRow, RecordRow } from "../rows.ts";
import { prefixLength } from "../search/prefix-length.ts";

/** Columns of `records`, as stored; `online`, `identity`, `standing` and `history` are JSON. */
export interface StoredRecord {
  readonly position: number;
  readonly id: number;
  readonly public_id: string;
  readonly name: string;
  readonly city: string;
  readonly industry: string | null;
  readonly industry_state: IndustryState;
  readonly status: EntityStatus;
  readonly record_status: RecordStatus;
  readonly identity_status: IdentityStatus;
  readonly is_synthetic: number;
  readonly website: string | null;
  readonly merged_into: string | null;
  readonly identity: string;
  readonly online_verdict: OnlinePresence;
  readonly online: string;
  readonly standing: string;
  readonly history: string;
  readonly first_observed: number | null;
  readonly last_observed: number | null;
  readonly observation_count: number;
  readonly asset_count: number;
  readonly cell_count: number;
  readonly row_count: number;
}

export const RECORD_COLUMNS = `position, id, public_id, name, city, industry, industry_state, status, record_status,
  identity_status, is_synthetic, website, merged_into, identity, online_verdict, online, standing, history, first_observed,
  last_observed, observation_count, asset_count, cell_count, row_count`;

export function recordRow(stored: StoredRecord): RecordRow {
  const online: Omit<RecordRow["online"], "verdict"> = JSON.parse(stored.online);
  return {
    position: stored.position,
    id: stored.id,
    publicId: stored.public_id,
    name: stored.name,
    city: stored.city,
    industry: stored.industry,
    industryState: stored.industry_state,
    status: stored.status,
    recordStatus: stored.record_status,
    identityStatus: stored.identity_status,
    isSynthetic: stored.is_synthetic === 1,
    website: stored.website,
    mergedInto: stored.merged_into,
    identity: JSON.parse(stored.identity),
    online: { verdict: stored.online_verdict, ...online },
    standing: JSON.parse(stored.standing),
    history: JSON.parse(stored.history),
    firstObserved: stored.first_observed,
    lastObserved: stored.last_observed,
    observationCount: stored.observation_count,
    assetCount: stored.asset_count,
    cellCount: stored.cell_count,
    rowCount: stored.row_count,
  };
}

interface StoredAsset {
  readonly id: number;
  readonly public_id: string;
  readonly asset_type: AssetType;
  readonly is_mobile: number;
  readonly legibility: number | null;
  readonly first_observed: number | null;
  readonly last_observed: number | null;
  readonly status: AssetStatus;
  readonly observation_count: number;
}

function assetRow(stored: StoredAsset): AssetRow {
  return {
    id: stored.id,
    publicId: stored.public_id,
    assetType: stored.asset_type,
    isMobile: stored.is_mobile === 1,
    legibility: stored.legibility,
    firstObserved: stored.first_observed,
    lastObserved: stored.last_observed,
    status: stored.status,
    observationCount: stored.observation_count,
  };
}

interface StoredObservation {
  readonly id: number;
  readonly asset: number;
  readonly public_id: string;
  readonly asset_type: AssetType;
  readonly is_mobile: number;
  readonly source: SourceType;
  readonly observed_at: number;
  readonly accepted_at: number;
  readonly published_at: number;
  readonly reprocessed_at: number | null;
  readonly derived_from_archive: number;
  readonly recognition_model_version: string | null;
  readonly methodology_version: string;
  readonly cell: string;
  readonly state: VerificationState;
  readonly presence_kind: PresenceKind;
  readonly trust: number;
  readonly ledger_hash: string;
  readonly observer_tag: string;
}

// Hex is made by SQLite: a buffer for each of the hashes would cost a third of the whole read.
const OBSERVATION_COLUMNS = `o.id, o.asset, a.public_id, a.asset_type, a.is_mobile, o.source, o.observed_at, o.accepted_at, o.published_at,
  o.reprocessed_at, o.derived_from_archive, o.recognition_model_version, o.methodology_version, o.cell, o.state,
  o.presence_kind, o.trust, lower(hex(o.ledger_hash)) AS ledger_hash, o.observer_tag`;

function observationRow(stored: StoredObservation): ObservationRow {
  return {
    id: stored.id,
    asset: stored.asset,
    assetPublicId: stored.public_id,
    assetType: stored.asset_type,
    isMobile: stored.is_mobile === 1,
    source: stored.source,
    observedAt: stored.observed_at,
    acceptedAt: stored.accepted_at,
    publishedAt: stored.published_at,
    reprocessedAt: stored.reprocessed_at,
    derivedFromArchive: stored.derived_from_archive === 1,
    recognitionModelVersion: stored.recognition_model_version,
    methodologyVersion: stored.methodology_version,
    cell: stored.cell,
    state: stored.state,
    presenceKind: stored.presence_kind,
    trust: stored.trust,
    ledgerHash: stored.ledger_hash,
    observerTag: stored.observer_tag,
  };
}

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

/** The mix of a record without observations. */
export const NO_MIX: EvidenceMix = {
  source: [],
  verification: [],
  citations: [],
  cited: NOTHING_CITED,
};

export function recordQueries(db: Database): RecordQueries {
  const byPublicId = db.prepare<[string], StoredRecord>(
    `SELECT ${RECORD_COLUMNS} FROM records WHERE public_id = ?`,
  );
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
  const assets = db.prepare<[number], StoredAsset>("SELECT * FROM assets WHERE record = ? ORDER BY id");
  const owner = db
    .prepare<[string], string>(
      "SELECT r.public_id FROM assets a JOIN records r ON r.id = a.record WHERE a.public_id = ?",
    )
    .pluck();
  const cells = db.prepare<[string], RecordCellRow>(
    `SELECT o.cell, count(*) AS observations, max(o.observed_at) AS lastObserved FROM records r
       JOIN observations o ON o.seq >= r.observations_from AND o.seq < r.observations_from + r.row_count
     WHERE r.public_id = ? AND o.state <> 'rejected' GROUP BY o.cell ORDER BY o.cell`,
  );
  const mix = db.prepare<[number], string>("SELECT evidence_mix FROM records WHERE id = ?").pluck();
  return {
    record(publicId) {
      const stored = byPublicId.get(publicId);
      return stored === undefined ? undefined : recordRow(stored);
    },
    publicIds: () => publicIds.iterate(),
    mergedIds: () => mergedIds.all(),
    recordCount: () => lastPosition.get() ?? 0,
    publicationTimes: (from, to) => publications.all(from, to),
    assetsOf: (record) => assets.all(record).map(assetRow),
    recordOfAsset: (publicId) => owner.get(publicId),
    ...observationQueries(db),
    cellsOf: (publicId) => cells.all(publicId),
    evidenceMix(record) {
      const stored = mix.get(record);
      return stored === undefined ? NO_MIX : JSON.parse(stored);
    },
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
  const between = db.prepare<[number, number], StoredObservation>(
    `SELECT ${OBSERVATION_COLUMNS} FROM observations o JOIN assets a ON a.id = o.asset
     WHERE o.seq >= ? AND o.seq < ? ORDER BY o.seq`,
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
      return between.all(first + offset, first + Math.min(count, offset + limit)).map(observationRow);
    },
    observationCountOf: (record, options) => found(record, options).count,
  };
}
