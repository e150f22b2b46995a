import type { CityState } from "../../ledger/decisions/ledger-state.ts";
import { groupedRows } from "./grouped-rows.ts";
import { type LedgerFold, type LedgerRecord, type ShownRecord, shownRecord } from "./ledger-fold.ts";

/** A record that a release shows, with the live observations that count for it (merged ones included) in row order. */
export interface ListedRecord {
  readonly record: ShownRecord;
  readonly position: number; // display order, from 1: most observations that count first, then public id
  readonly rows: Uint32Array;
}

export interface ListedCity {
  readonly city: CityState;
  readonly records: readonly ListedRecord[]; // by position
}

/** A record that was merged into another, or whose observations were all moved to others; its public id stays known. */
export interface MergedRecord {
  readonly record: ShownRecord;
  readonly position: number; // after all listed records
  readonly into: ShownRecord;
}

export interface Listing {
  readonly cities: readonly ListedCity[]; // published ones, in the order of registration
  readonly merged: readonly MergedRecord[];
}

/** The content of a release as of `asOf` (ms): published cities, and their records with a live observation by then. */
export function listing(fold: LedgerFold, asOf: number): Listing {
  const shown = shownRecords(fold, asOf);
  const listed = shown
    .map((entry) => ({ ...entry, counting: countingRows(fold, entry.rows) }))
    .sort((a, b) => b.counting - a.counting || comparePublicId(a.record, b.record))
    .map(({ record, rows }, index) => ({ record: shownRecord(record), rows, position: index + 1 }));
  const byCity = Map.groupBy(listed, ({ record }) => record.body.city);
  return {
    cities: publishedCities(fold).map((city) => ({ city, records: byCity.get(city.slug) ?? [] })),
    merged: mergedRecords(fold, new Set(shown.map(({ record }) => record))),
  };
}

/** Of these only, so that nobody is listed before others by what does not count. */
function countingRows({ sightings }: LedgerFold, rows: Uint32Array): number {
  let counting = 0;
  for (const row of rows) if (!sightings.isRejected(row) && sightings.setAside(row) === null) counting += 1;
  return counting;
}

interface RecordWithRows {
  readonly record: LedgerRecord;
  readonly rows: Uint32Array;
}

/**
 * The records with live observations, and the rows of these in order. Arrays by row instead of maps and lists: millions of rows name
 * records and assets in no order, and each look into a map is then a look into main memory.
 */
function shownRecords(fold: LedgerFold, asOf: number): RecordWithRows[] {
  const roots = shownAs(fold);
  const records = [...new Set(roots.values())];
  const places = new Map(records.map((record, index) => [record, index + 1]));
  const placeOf = new Uint32Array(fold.sightings.lastRow + 1); // by record; 0: not shown
  for (const [row, root] of roots) placeOf[row] = places.get(root) ?? 0;
  const grouped = groupedRows(records.length, placesOfRows(fold, asOf, placeOf));
  return records
    .map((record, index) => ({ record, rows: grouped[index + 1] ?? new Uint32Array() }))
    .filter(({ rows }) => rows.length > 0);
}

/** By row the place of the record that shows it; 0: none does. */
function placesOfRows({ sightings, assets }: LedgerFold, asOf: number, placeOf: Uint32Array): Uint32Array {
  const isAsset = new Uint8Array(sightings.lastRow + 1);
  for (const asset of assets.keys()) isAsset[asset] = 1;
  const places = new Uint32Array(sightings.lastRow + 1);
  for (const [row, record, asset] of sightings.observedBy(asOf))
    if (isAsset[asset] === 1) places[row] = placeOf[record] ?? 0;
  return places;
}

/** Record row -> the record of a published city that it counts for after merges. */
function shownAs(fold: LedgerFold): Map<number, LedgerRecord> {
  const published = new Set(publishedCities(fold).map(({ slug }) => slug));
  const roots = new Map<number, LedgerRecord>();
  for (const record of fold.records.values()) {
    const root = fold.root(record);
    if (root !== undefined && published.has(root.body.city)) roots.set(record.id, root);
  }
  return roots;
}

function publishedCities(fold: LedgerFold): CityState[] {
  return [...fold.cities.values()]
    .filter(({ publicationStatus }) => publicationStatus === "published")
    .sort((a, b) => a.id - b.id);
}

function mergedRecords(fold: LedgerFold, listed: ReadonlySet<LedgerRecord>): MergedRecord[] {
  const emptied = movedOn(fold);
  const merged: Omit<MergedRecord, "position">[] = [];
  for (const record of fold.records.values()) {
    const into = endOf(record, fold, emptied, listed);
    if (into !== undefined && into !== record)
      merged.push({
        record: { ...shownRecord(record), recordStatus: "merged" },
        into: shownRecord(into),
      });
  }
  return merged
    .sort((a, b) => comparePublicId(a.record, b.record))
    .map((entry, index) => ({ ...entry, position: listed.size + index + 1 }));
}

/** Record -> where the last row that took an observation from it moved that one. */
export function movedOn({ history }: LedgerFold): Map<number, number> {
  return new Map(history.reassigns.map(({ from, record }) => [from, record]));
}

/** The listed record that stands for one: itself, the one it was merged into, or, without observations, the one they were moved to. */
export function endOf(
  record: LedgerRecord,
  fold: LedgerFold,
  emptied: ReadonlyMap<number, number>,
  listed: ReadonlySet<LedgerRecord>,
): LedgerRecord | undefined {
  const passed = new Set<LedgerRecord>();
  for (let end = fold.root(record); end !== undefined && !passed.has(end); ) {
    if (listed.has(end)) return end;
    passed.add(end);
    const next: LedgerRecord | undefined = fold.records.get(emptied.get(end.id) ?? 0);
    end = next && fold.root(next);
  }
  return undefined;
}

function comparePublicId(a: Pick<LedgerRecord, "body">, b: Pick<LedgerRecord, "body">): number {
  return a.body.public_id < b.body.public_id ? -1 : 1;
}
