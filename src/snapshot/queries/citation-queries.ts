import type { Database } from "better-sqlite3";
import type { VerificationState } from "../../contract/enums.ts";
import { Merges } from "../../ledger/decisions/merges.ts";
import { lastSealedRow } from "../../ledger/tree/seals.ts";
import type { CitedEvidence } from "../rows.ts";
import { cityVersions } from "../tables/cities.ts";
import { merges, verdicts } from "../tables/decisions.ts";
import { observations, records } from "../tables/records.ts";
import { seals } from "../tables/release.ts";
import { type Selected, selection, values } from "../tables/selection.ts";
import { type PastObservation, pastEvidence } from "./past-record.ts";
import { OF_RECORD } from "./record-queries.ts";

/** A signed tree that a seal made, and with it a release. */
export interface SealedTree {
  readonly treeSize: number;
  readonly sealedRow: number; // the last row that a release of this tree shows
  readonly sealedAt: number; // ms
  readonly nextSealAt: number | null; // ms; null for the newest one
}

/** A record as a release of an earlier tree had it, computed from what is public now. */
export interface PastRecord {
  readonly row: number; // of the record
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly city: { readonly name: string; readonly lng: number };
  readonly cited: CitedEvidence;
  readonly rows: readonly number[]; // accepted ones, newest observed first
}

const { id, name, isSynthetic, city } = records.columns;
const CITED_RECORD = selection({ id, name, isSynthetic, city });
const PLACE = selection(cityVersions.columns, "city", "row");
const MERGE = selection(merges.columns);
const { row, manifest, treeSize } = seals.columns;
const TREE_SEAL = selection({ row, treeSize, body: manifest });

const { observerTag } = observations.columns;
/** FROM observations, with `merged_observations` where there are any; binds the last row that a verdict may have. */
const OBSERVATION = selection({
  id: observations.columns.id,
  record: id.as("coalesce(merged_observations.record, records.id)"),
  asset: observations.columns.asset,
  source: observations.columns.source,
  observedAt: observations.columns.observedAt,
  kind: observations.columns.presenceKind,
  observer: observerTag.as("coalesce(merged_observations.observer_tag, observations.observer_tag)"),
  decision: verdicts.columns.decision
    .nullable()
    .as(
      "(SELECT decision FROM verdicts v WHERE v.target = observations.id AND v.row <= ? ORDER BY v.row DESC LIMIT 1)",
    ),
});

const VERDICTS = { verify: "verified", reject: "rejected" } as const;

export function citationQueries(db: Database) {
  const redactedSince = values<[sealedRow: number, treeSize: number], number>(
    db,
    "SELECT 1 FROM erasures WHERE row <= ? AND erased_by > ? AND kind = 'redaction' LIMIT 1",
  );
  return {
    /** The tree of that size; undefined when no seal made one. */
    sealedTree: sealedTrees(db),
    pastRecord: pastRecords(db),
    /** When the record's observations of a time span were made (ms, both inclusive), each instant once, the latest first. */
    observationTimes: values<[publicId: string, from: number, to: number], number>(
      db,
      `SELECT DISTINCT observed_at FROM ${OF_RECORD}
       WHERE public_id = ? AND observed_at BETWEEN ? AND ? ORDER BY observed_at DESC`,
    ).all,
    /** State of an observation in this release; undefined when it shows none of that row. */
    stateOfRow: values<[row: number, publicId: string], VerificationState>(
      db,
      `SELECT state FROM ${OF_RECORD} WHERE observations.id = ? AND public_id = ?`,
    ).get,
    /** The row that erased a row; undefined while it stands. */
    erasedBy: values<[row: number], number>(db, "SELECT erased_by FROM erasures WHERE row = ?").get,
    /** Whether a row was redacted that a release of this tree may have shown. Records that opted out took all their rows with them. */
    hasRedactions: ({ sealedRow, treeSize }: SealedTree) =>
      redactedSince.get(sealedRow, treeSize) !== undefined,
  };
}

/** Reads a record with what was observed by `observedBy` (ms); undefined when that release did not show it, or it is gone since. */
function pastRecords(db: Database) {
  const record = CITED_RECORD.prepare<[string]>(db, "FROM records WHERE public_id = ?");
  const place = PLACE.prepare<[string, number]>(
    db,
    "FROM city_versions WHERE city = ? AND row <= ? ORDER BY row DESC LIMIT 1",
  );
  const mergesAround = MERGE.prepare<[number]>(
    db,
    `FROM merges WHERE record IN (
       WITH RECURSIVE linked(id) AS (
         SELECT ? UNION
         SELECT m.stays FROM merges m JOIN linked ON m.record = linked.id UNION
         SELECT m.record FROM merges m JOIN linked ON m.stays = linked.id
       ) SELECT id FROM linked
     ) ORDER BY row`,
  );
  const observed = OBSERVATION.prepare<[number, number, number, number]>(
    db,
    `FROM ${OF_RECORD} LEFT JOIN merged_observations ON merged_observations.row = observations.id
     WHERE records.id = ? AND observations.id <= ? AND observed_at <= ? ORDER BY observations.id`,
  );
  return (publicId: string, { sealedRow }: SealedTree, observedBy: number): PastRecord | undefined => {
    const current = record.get(publicId);
    if (current === undefined || current.id > sealedRow) return undefined;
    const city = place.get(current.city, sealedRow);
    if (city === undefined || !city.isPublished) return undefined;
    const all = mergesAround.all(current.id);
    const past = new Merges(all.filter(({ row }) => row <= sealedRow));
    if (past.root(current.id) !== current.id) return undefined;
    const now = new Merges(all);
    const connected = new Set([current.id, ...all.flatMap((merge) => [merge.record, merge.into])]);
    const own = [...connected].filter((id) => past.root(id) === current.id);
    const shownUnder = new Set(own.map((id) => now.root(id)));
    const rows = [...shownUnder]
      .flatMap((id) => observed.all(sealedRow, id, sealedRow, observedBy))
      .filter((row) => own.includes(row.record))
      .map(pastObservation);
    if (rows.length === 0) return undefined;
    const { id: row, name, isSynthetic } = current;
    return { row, name, isSynthetic, city, ...pastEvidence(rows, past, city.lng) };
  };
}

function pastObservation({ decision, ...row }: Selected<typeof OBSERVATION>): PastObservation {
  return { ...row, verdict: decision === null ? undefined : VERDICTS[decision] };
}

type TreeSeal = Selected<typeof TREE_SEAL>;

/** Seals are read once: there are a few a day at most. */
function sealedTrees(db: Database): (treeSize: number) => SealedTree | undefined {
  const stored = TREE_SEAL.prepare(db, "FROM seals ORDER BY row");
  let all: readonly TreeSeal[] | undefined;
  return (treeSize) => {
    all ??= stored.all();
    return sealedTree(all, treeSize);
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
