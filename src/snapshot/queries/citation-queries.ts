import type { Database } from "better-sqlite3";
import { Merges } from "../../ledger/decisions/merges.ts";
import { TagChanges } from "../../ledger/decisions/observer-tags.ts";
import { lastSealedRow } from "../../ledger/tree/seals.ts";
import type { CitedEvidence } from "../rows.ts";
import { cityVersions } from "../tables/cities.ts";
import { earlierNames, recounts, verdicts, writtenObservations } from "../tables/decisions.ts";
import type { StoredObservation } from "../tables/observation-page.ts";
import { assets, records } from "../tables/records.ts";
import { seals } from "../tables/release.ts";
import { type Selected, selection, values } from "../tables/selection.ts";
import { mergesAround } from "./change-queries.ts";
import type { ObservationReader } from "./observation-reader.ts";
import { type PastObservation, pastEvidence } from "./past-record.ts";

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
const NAME = selection({ name: earlierNames.columns.name });
const TAGS = selection({ record: recounts.columns.target, tags: recounts.columns.tags });
const { row, manifest, treeSize } = seals.columns;
const TREE_SEAL = selection({ row, treeSize, body: manifest });

const { row: written, record, observerTag, counts } = writtenObservations.columns;
/** What decisions up to a row say of observations: binds that row twice, then the observations' rows as JSON. */
const DECIDED = selection({
  row: written.as("own.value"),
  record: record.nullable(),
  tag: observerTag.nullable(),
  counts: counts.nullable().as(
    `coalesce(
      (SELECT counts FROM recounts c WHERE c.target = own.value AND c.counts IS NOT NULL AND c.row <= ? ORDER BY c.row DESC LIMIT 1),
      written_observations.counts)`,
  ),
  decision: verdicts.columns.decision
    .nullable()
    .as(
      "(SELECT decision FROM verdicts v WHERE v.target = own.value AND v.row <= ? ORDER BY v.row DESC LIMIT 1)",
    ),
});
const ASSET_TYPE = selection({ id: assets.columns.id, assetType: assets.columns.assetType });

const VERDICTS = { verify: "verified", reject: "rejected" } as const;

export function citationQueries(db: Database, observations: ObservationReader) {
  const redactedSince = values<[sealedRow: number, treeSize: number], number>(
    db,
    "SELECT 1 FROM erasures WHERE row <= ? AND erased_by > ? AND kind = 'redaction' LIMIT 1",
  );
  return {
    /** The tree of that size; undefined when no seal made one. */
    sealedTree: sealedTrees(db),
    pastRecord: pastRecords(db, observations),
    /** The row that erased a row; undefined while it stands. */
    erasedBy: values<[row: number], number>(db, "SELECT erased_by FROM erasures WHERE row = ?").get,
    /** Whether a row was redacted that a release of this tree may have shown. Records that opted out took all their rows with them. */
    hasRedactions: ({ sealedRow, treeSize }: SealedTree) =>
      redactedSince.get(sealedRow, treeSize) !== undefined,
  };
}

/** Reads a record as a release had it; undefined when that release did not show it so, or it is gone since. */
function pastRecords(db: Database, observations: ObservationReader) {
  const record = CITED_RECORD.prepare<[string]>(db, "FROM records WHERE public_id = ?");
  const place = PLACE.prepare<[string, number]>(
    db,
    "FROM city_versions WHERE city = ? AND row <= ? ORDER BY row DESC LIMIT 1",
  );
  const names = NAME.prepare<[record: number, upTo: number]>(
    db,
    "FROM earlier_names WHERE record = ? AND row <= ? ORDER BY row DESC LIMIT 1",
  );
  const around = mergesAround(db);
  const tagChanges = TAGS.prepare<[number, number]>(
    db,
    "FROM recounts WHERE target = ? AND row <= ? AND tags IS NOT NULL ORDER BY row",
  );
  const observed = pastObservations(db, observations);
  const tagsOf = (own: readonly number[], sealedRow: number) => {
    const tags = new TagChanges();
    for (const change of own.flatMap((id) => tagChanges.all(id, sealedRow)))
      tags.add(change.record, change.tags ?? {});
    return tags;
  };
  const cityOf = (slug: string, sealedRow: number) => {
    const city = place.get(slug, sealedRow);
    return city?.isPublished ? city : undefined;
  };
  // Observations later than `observedBy` (ms) were left out.
  return (publicId: string, { sealedRow }: SealedTree, observedBy: number): PastRecord | undefined => {
    const current = record.get(publicId);
    if (current === undefined || current.id > sealedRow) return undefined;
    const city = cityOf(current.city, sealedRow);
    const all = around(current.id);
    const merges = new Merges(all.filter(({ row }) => row <= sealedRow));
    if (city === undefined || merges.root(current.id) !== current.id) return undefined;
    const now = new Merges(all);
    const connected = new Set([current.id, ...all.flatMap((merge) => [merge.record, merge.into])]);
    const own = [...connected].filter((id) => merges.root(id) === current.id);
    const shownUnder = new Set(own.map((id) => now.root(id)));
    const rows = [...shownUnder]
      .flatMap((id) => observed(id, sealedRow, observedBy))
      .filter((row) => own.includes(row.record));
    const evidence = pastEvidence(rows, { merges, tags: tagsOf(own, sealedRow), lng: city.lng });
    const { id: row, isSynthetic } = current;
    const { name } = names.get(row, sealedRow) ?? current;
    return evidence && { row, name, isSynthetic, city, ...evidence };
  };
}

/** Reads the observations that a record shows now, of rows and times up to these (ms), with what was decided up to that row. */
function pastObservations(db: Database, observations: ObservationReader) {
  const assetTypes = ASSET_TYPE.prepare<[record: number]>(db, "FROM assets WHERE record = ?");
  const decided = DECIDED.prepare<[upTo: number, upTo: number, rows: string]>(
    db,
    `FROM json_each(?) own LEFT JOIN written_observations ON written_observations.row = own.value
     ORDER BY own.value`,
  );
  return (record: number, upTo: number, observedBy: number): PastObservation[] => {
    const shown = new Map<number, StoredObservation>();
    for (const row of observations.all(observations.span(record)))
      if (row.id <= upTo && row.observedAt <= observedBy) shown.set(row.id, row);
    const types = new Map(assetTypes.all(record).map(({ id, assetType }) => [id, assetType]));
    return decided.all(upTo, upTo, JSON.stringify([...shown.keys()])).flatMap((decision) => {
      const row = shown.get(decision.row);
      const assetType = types.get(row?.asset ?? 0);
      if (row === undefined || assetType === undefined) return [];
      return [pastObservation(record, { ...row, assetType }, decision)];
    });
  };
}

/** Where nothing else was written, a row is as the release shows it. */
function pastObservation(
  shownFor: number,
  shown: StoredObservation & Pick<PastObservation, "assetType">,
  { record, tag, counts, decision }: Selected<typeof DECIDED>,
): PastObservation {
  const { id, asset, assetType, source, observedAt, presenceKind, observerTag, setAside } = shown;
  return {
    id,
    record: record ?? shownFor,
    asset,
    assetType,
    source,
    observedAt,
    kind: presenceKind,
    tag: tag ?? observerTag,
    counts: counts ?? setAside !== "private_trace",
    verdict: decision === null ? undefined : VERDICTS[decision],
  };
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
