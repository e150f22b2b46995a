import type { Database } from "better-sqlite3";
import type { PresenceKind, SourceType, VerificationState } from "../../contract/enums.ts";
import { SealBody } from "../../ledger/rows/rows.ts";
import { lastSealedRow } from "../../ledger/tree/seals.ts";
import type { CitedEvidence } from "../rows.ts";
import { type MergeRow, PastMerges, type PastObservation, pastEvidence } from "./past-record.ts";

/** A signed tree that a seal made, and with it a release. */
export interface SealedTree {
  readonly treeSize: number;
  readonly sealedRow: number; // the last row that a release of this tree shows
  readonly sealedAt: number; // ms
  readonly nextSealAt: number | null; // ms; null for the newest one
}

/** A record as a release of an earlier tree had it, computed from what is public now. */
export interface PastRecord {
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly city: { readonly name: string; readonly lng: number };
  readonly cited: CitedEvidence;
  readonly rows: readonly number[]; // accepted ones, newest observed first
}

export interface CitationQueries {
  /** The tree of that size; undefined when no seal made one. */
  sealedTree(treeSize: number): SealedTree | undefined;
  /** A record with what was observed by `observedBy` (ms); undefined when that release did not show it, or it is gone since. */
  pastRecord(publicId: string, tree: SealedTree, observedBy: number): PastRecord | undefined;
  /** When the record's observations of a time span were made (ms, both inclusive), each instant once, the latest first. */
  observationTimes(publicId: string, from: number, to: number): number[];
  /** State of an observation in this release; undefined when it shows none of that row. */
  stateOfRow(row: number, publicId: string): VerificationState | undefined;
  /** The row that erased a row; undefined while it stands. */
  erasedBy(row: number): number | undefined;
  /** Whether a row was redacted that a release of this tree may have shown. Records that opted out took all their rows with them. */
  hasRedactions(tree: SealedTree): boolean;
}

interface StoredRecord {
  readonly id: number;
  readonly name: string;
  readonly isSynthetic: number;
  readonly city: string;
}

interface StoredCity {
  readonly name: string;
  readonly lng: number;
  readonly isPublished: number;
}

interface StoredObservation {
  readonly id: number;
  readonly record: number;
  readonly asset: number;
  readonly source: SourceType;
  readonly observer: string;
  readonly observedAt: number;
  readonly kind: PresenceKind;
  readonly decision: "verify" | "reject" | null;
}

const VERDICTS = { verify: "verified", reject: "rejected" } as const;

/** Observations that count for a record now, `seq` being those of its range. */
const OF_RECORD =
  "records r JOIN observations o ON o.seq >= r.observations_from AND o.seq < r.observations_from + r.row_count";

export function citationQueries(db: Database): CitationQueries {
  const record = db.prepare<[string], StoredRecord>(
    "SELECT id, name, is_synthetic AS isSynthetic, city FROM records WHERE public_id = ?",
  );
  const city = db.prepare<[string, number], StoredCity>(
    `SELECT name, lng, is_published AS isPublished FROM city_versions WHERE city = ? AND row <= ?
     ORDER BY row DESC LIMIT 1`,
  );
  const merges = db.prepare<[number], Omit<MergeRow, "tags"> & { readonly tags: string }>(
    `WITH RECURSIVE linked(id) AS (
       SELECT ? UNION
       SELECT m.stays FROM merges m JOIN linked ON m.record = linked.id UNION
       SELECT m.record FROM merges m JOIN linked ON m.stays = linked.id
     )
     SELECT row, record, stays AS "into", tags FROM merges WHERE record IN (SELECT id FROM linked) ORDER BY row`,
  );
  const observations = db.prepare<[number, number, number, number], StoredObservation>(
    `SELECT o.id, coalesce(m.record, r.id) AS record, o.asset, o.source, o.observed_at AS observedAt, o.presence_kind AS kind,
       coalesce(m.observer_tag, o.observer_tag) AS observer,
       (SELECT decision FROM verdicts v WHERE v.target = o.id AND v.row <= ? ORDER BY v.row DESC LIMIT 1) AS decision
     FROM ${OF_RECORD} LEFT JOIN merged_observations m ON m.row = o.id
     WHERE r.id = ? AND o.id <= ? AND o.observed_at <= ? ORDER BY o.id`,
  );
  const times = db
    .prepare<[string, number, number], number>(
      `SELECT DISTINCT o.observed_at FROM ${OF_RECORD}
       WHERE r.public_id = ? AND o.observed_at BETWEEN ? AND ? ORDER BY o.observed_at DESC`,
    )
    .pluck();
  const state = db
    .prepare<[string, number], VerificationState>(
      `SELECT o.state FROM ${OF_RECORD} WHERE r.public_id = ? AND o.id = ?`,
    )
    .pluck();
  const erased = db.prepare<[number], number>("SELECT erased_by FROM erasures WHERE row = ?").pluck();
  const redactedSince = db
    .prepare<[number, number], number>(
      "SELECT 1 FROM erasures WHERE row <= ? AND erased_by > ? AND kind = 'redaction' LIMIT 1",
    )
    .pluck();

  const mergesAround = (id: number): MergeRow[] =>
    merges.all(id).map(({ tags, ...merge }) => ({ ...merge, tags: JSON.parse(tags) }));

  return {
    sealedTree: sealedTrees(db),
    pastRecord(publicId, { sealedRow }, observedBy) {
      const found = record.get(publicId);
      if (found === undefined || found.id > sealedRow) return undefined;
      const place = city.get(found.city, sealedRow);
      if (place === undefined || place.isPublished === 0) return undefined;
      const all = mergesAround(found.id);
      const past = new PastMerges(found.id, all, sealedRow);
      if (past.rootOf(found.id) !== found.id) return undefined;
      const now = new PastMerges(found.id, all, Number.POSITIVE_INFINITY);
      const own = past.records.filter((id) => past.rootOf(id) === found.id);
      const shownUnder = new Set(own.map((id) => now.rootOf(id)));
      const rows = [...shownUnder]
        .flatMap((id) => observations.all(sealedRow, id, sealedRow, observedBy))
        .filter((row) => own.includes(row.record))
        .map(pastObservation);
      if (rows.length === 0) return undefined;
      const { name, lng } = place;
      const evidence = pastEvidence(rows, past, lng);
      return { name: found.name, isSynthetic: found.isSynthetic === 1, city: { name, lng }, ...evidence };
    },
    observationTimes: (publicId, from, to) => times.all(publicId, from, to),
    stateOfRow: (row, publicId) => state.get(publicId, row),
    erasedBy: (row) => erased.get(row),
    hasRedactions: ({ sealedRow, treeSize }) => redactedSince.get(sealedRow, treeSize) !== undefined,
  };
}

function pastObservation({ decision, ...row }: StoredObservation): PastObservation {
  return { ...row, verdict: decision === null ? undefined : VERDICTS[decision] };
}

interface StoredSeal {
  readonly row: number;
  readonly manifest: string;
  readonly treeSize: number;
}

interface TreeSeal {
  readonly row: number;
  readonly body: SealBody;
  readonly treeSize: number;
}

/** Seals are read once: there are a few a day at most. */
function sealedTrees(db: Database): (treeSize: number) => SealedTree | undefined {
  const select = db.prepare<[], StoredSeal>(
    "SELECT row, manifest, tree_size AS treeSize FROM seals ORDER BY row",
  );
  let seals: readonly TreeSeal[] | undefined;
  return (treeSize) => {
    seals ??= select
      .all()
      .map(({ manifest, ...seal }) => ({ ...seal, body: SealBody.parse(JSON.parse(manifest)) }));
    return sealedTree(seals, treeSize);
  };
}

function sealedTree(seals: readonly TreeSeal[], treeSize: number): SealedTree | undefined {
  const own = seals.findLast((seal) => seal.treeSize === treeSize);
  if (own === undefined) return undefined;
  const next = seals.find((seal) => seal.treeSize > treeSize);
  const upTo = seals.filter(({ row }) => row <= treeSize);
  return {
    treeSize,
    sealedRow: lastSealedRow(upTo, treeSize),
    sealedAt: Date.parse(own.body.created_at),
    nextSealAt: next === undefined ? null : Date.parse(next.body.created_at),
  };
}
