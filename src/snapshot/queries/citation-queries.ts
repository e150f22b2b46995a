import type { Database } from "better-sqlite3";
import { type Selected, selection, values } from "../../kernel/table.ts";
import { type Merge, Merges } from "../../ledger/decisions/merges.ts";
import { lastSealedRow } from "../../ledger/tree/seal.ts";
import { type CitedEvidence, citedEvidence } from "../../method/citation.ts";
import { cityVersions } from "../tables/cities.ts";
import { earlierNames, verdicts, writtenObservations } from "../tables/decisions.ts";
import type { StoredObservation } from "../tables/packed.ts";
import { assets, records } from "../tables/records.ts";
import { seals } from "../tables/release.ts";
import { mergesAround } from "./change-queries.ts";
import { isWithin, type Observed } from "./observation-columns.ts";
import type { ObservationReader } from "./observation-queries.ts";
import { type PastObservation, pastEvidence } from "./record-queries.ts";

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
  readonly rows: readonly number[]; // accepted and counted ones, newest observed first
}

/** Which observations a past release had, and which of these are counted. */
interface PastTime {
  readonly observedBy: number; // ms; later ones were left out
  /** By the longitude of the city; undefined: all of them. */
  readonly observed: (lng: number) => Observed | undefined;
}

const { id, name, isSynthetic, city } = records.columns;
const CITED_RECORD = selection({ id, name, isSynthetic, city });
const PLACE = selection(cityVersions.columns, "city", "row");
const NAME = selection({ name: earlierNames.columns.name });
const { row, manifest, treeSize } = seals.columns;
const TREE_SEAL = selection({ row, treeSize, body: manifest });

const { row: written, record, asset, observerTag, counts } = writtenObservations.columns;
const moved = (column: string) => `coalesce(reassigns.${column}, written_observations.${column})`;
/** What rows up to one say of observations: binds that row twice, then the observations' rows as JSON, then that row. */
const DECIDED = selection({
  row: written.as("own.value"),
  record: record.nullable().as(moved("record")),
  asset: asset.nullable().as(moved("asset")),
  tag: observerTag.nullable().as(moved("observer_tag")),
  counts: counts.nullable().as(
    `coalesce(
      (SELECT counts FROM recounts c WHERE c.target = own.value AND c.row <= ? ORDER BY c.row DESC LIMIT 1),
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
    "SELECT 1 FROM erasures WHERE row <= ? AND erased_by > ? LIMIT 1",
  );
  return {
    /** The tree of that size; undefined when no seal made one. */
    sealedTree: sealedTrees(db),
    pastRecord: pastRecords(db, observations),
    /** What a citation of the record, by its ledger row, says of the observations of a time. */
    citedBetween: citedBetween(observations),
    /** Public ids of the records that show observations which a record had once, and which were moved since. */
    movedFrom: movedFrom(db),
    /** Public id of the record that shows an observation that was moved after a row; undefined for others. */
    movedTo: movedTo(db),
    /** The row that erased a row; undefined while it stands. */
    erasedBy: values<[row: number], number>(db, "SELECT erased_by FROM erasures WHERE row = ?").get,
    /** Whether a row was erased that a release of this tree may have shown. */
    hasRedactions: ({ sealedRow, treeSize }: SealedTree) =>
      redactedSince.get(sealedRow, treeSize) !== undefined,
  };
}

function citedBetween(
  observations: ObservationReader,
): (record: number, observed: Observed) => CitedEvidence {
  return (record, observed) => {
    const seen = [...observations.all(observations.span(record))]
      .filter(({ observedAt }) => isWithin(observedAt, observed))
      .map((row) => ({ ...row, observer: row.observerTag }));
    const kinds = new Map(seen.map(({ id, presenceKind }) => [id, presenceKind]));
    return citedEvidence(seen, (row) => kinds.get(row) ?? "brand_mention");
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
  const holders = holdersNow(db);
  const observed = pastObservations(db, observations);
  const cityOf = (slug: string, sealedRow: number) => {
    const city = place.get(slug, sealedRow);
    return city?.isPublished ? city : undefined;
  };
  return (
    publicId: string,
    { sealedRow }: SealedTree,
    { observedBy, observed: countedAt }: PastTime,
  ): PastRecord | undefined => {
    const current = record.get(publicId);
    if (current === undefined || current.id > sealedRow) return undefined;
    const city = cityOf(current.city, sealedRow);
    const all = around(current.id);
    const merges = new Merges(all.filter(({ row }) => row <= sealedRow));
    if (city === undefined || merges.root(current.id) !== current.id) return undefined;
    const own = [...connected(current.id, all)].filter((id) => merges.root(id) === current.id);
    const rows = holders(current.id)
      .flatMap((id) => observed(id, sealedRow, observedBy))
      .filter((row) => own.includes(row.record));
    const evidence = pastEvidence(rows, { merges, lng: city.lng, observed: countedAt(city.lng) });
    const { id: row, isSynthetic } = current;
    const { name } = names.get(row, sealedRow) ?? current;
    return evidence && { row, name, isSynthetic, city, ...evidence };
  };
}

function connected(record: number, merges: readonly Merge[]): Set<number> {
  return new Set([record, ...merges.flatMap(({ record, into }) => [record, into])]);
}

/** Reads the records that now show what a record, or one that merges ever connected with it, had at any time. */
function holdersNow(db: Database): (record: number) => number[] {
  const around = mergesAround(db);
  const holders = values<[records: string], number>(
    db,
    `WITH own AS (SELECT value FROM json_each(?)),
       moved AS (SELECT DISTINCT target FROM reassigns WHERE record IN own OR came_from IN own)
     SELECT DISTINCT last.record FROM moved
     JOIN reassigns last ON last.row = (SELECT max(row) FROM reassigns r WHERE r.target = moved.target)`,
  );
  return (record) => {
    const all = around(record);
    const now = new Merges(all);
    const own = connected(record, all);
    const elsewhere = holders.all(JSON.stringify([...own])).filter((id) => !own.has(id));
    const roots = [...own].map((id) => now.root(id));
    return [...new Set([...roots, ...elsewhere.map((id) => new Merges(around(id)).root(id))])];
  };
}

function movedFrom(db: Database): (publicId: string) => string[] {
  const id = values<[publicId: string], number>(db, "SELECT id FROM records WHERE public_id = ?");
  const publicIds = values<[ids: string, except: string], string>(
    db,
    `SELECT public_id FROM records WHERE id IN (SELECT value FROM json_each(?)) AND public_id <> ?
       AND merged_into IS NULL ORDER BY public_id`,
  );
  const holders = holdersNow(db);
  return (publicId) => {
    const record = id.get(publicId);
    return record === undefined ? [] : publicIds.all(JSON.stringify(holders(record)), publicId);
  };
}

function movedTo(db: Database): (row: number, after: number) => string | undefined {
  const record = values<[row: number, after: number], number>(
    db,
    "SELECT record FROM reassigns WHERE target = ? AND row > ? ORDER BY row DESC LIMIT 1",
  );
  const publicId = values<[record: number], string>(
    db,
    "SELECT public_id FROM records WHERE id = ? AND merged_into IS NULL",
  );
  const around = mergesAround(db);
  return (row, after) => {
    const moved = record.get(row, after);
    return moved === undefined ? undefined : publicId.get(new Merges(around(moved)).root(moved));
  };
}

/** Reads the observations that a record shows now, of rows and times up to these (ms), with what was decided up to that row. */
function pastObservations(db: Database, observations: ObservationReader) {
  const assetTypes = ASSET_TYPE.prepare<[record: number]>(db, "FROM assets WHERE record = ?");
  const decided = DECIDED.prepare<[upTo: number, upTo: number, rows: string, upTo: number]>(
    db,
    `FROM json_each(?) own LEFT JOIN written_observations ON written_observations.row = own.value
       LEFT JOIN reassigns
         ON reassigns.row = (SELECT max(row) FROM reassigns r WHERE r.target = own.value AND r.row <= ?)
     ORDER BY own.value`,
  );
  return (record: number, upTo: number, observedBy: number): PastObservation[] => {
    const shown = new Map<number, StoredObservation>();
    for (const row of observations.all(observations.span(record)))
      if (row.id <= upTo && row.observedAt <= observedBy) shown.set(row.id, row);
    const types = new Map(assetTypes.all(record).map(({ id, assetType }) => [id, assetType]));
    return decided.all(upTo, upTo, JSON.stringify([...shown.keys()]), upTo).flatMap((decision) => {
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
  { record, asset, tag, counts, decision }: Selected<typeof DECIDED>,
): PastObservation {
  const { id, asset: shownAsset, assetType, source, observedAt, presenceKind, observerTag, setAside } = shown;
  return {
    id,
    record: record ?? shownFor,
    asset: asset ?? shownAsset,
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
