import type { CityState } from "../../ledger/decisions/city-state.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import type { LedgerRecord } from "./ledger-record.ts";

/** A record that a release shows, with the live observations that count for it (merged ones included) in row order. */
export interface ListedRecord {
  readonly record: LedgerRecord;
  readonly position: number; // display order, from 1: most accepted observations first, then public id
  readonly rows: readonly number[];
}

export interface ListedCity {
  readonly city: CityState;
  readonly records: readonly ListedRecord[]; // by position
}

/** A record merged into another; its public id stays known. */
export interface MergedRecord {
  readonly record: LedgerRecord;
  readonly position: number; // after all listed records
  readonly into: LedgerRecord;
}

export interface Listing {
  readonly cities: readonly ListedCity[]; // published ones, in the order of registration
  readonly merged: readonly MergedRecord[];
}

/** The content of a release as of `asOf` (ms): published cities, and their records with a live observation by then. */
export function listing(fold: LedgerFold, asOf: number): Listing {
  const rows = rowsByRecord(fold, asOf);
  const isAccepted = (row: number) => !fold.sightings.isRejected(row);
  const listed = [...rows]
    .map(([record, rows]) => ({ record, rows, accepted: rows.filter(isAccepted).length }))
    .sort((a, b) => b.accepted - a.accepted || comparePublicId(a.record, b.record))
    .map(({ record, rows }, index) => ({ record, rows, position: index + 1 }));
  const byCity = Map.groupBy(listed, ({ record }) => record.body.city);
  return {
    cities: publishedCities(fold).map((city) => ({ city, records: byCity.get(city.slug) ?? [] })),
    merged: mergedRecords(fold, rows),
  };
}

function rowsByRecord(fold: LedgerFold, asOf: number): Map<LedgerRecord, number[]> {
  const roots = shownAs(fold);
  const rows = new Map<LedgerRecord, number[]>();
  for (const [row, record, asset] of fold.sightings.observedBy(asOf)) {
    const root = roots.get(record);
    if (root === undefined || !fold.assets.has(asset)) continue;
    const known = rows.get(root);
    if (known === undefined) rows.set(root, [row]);
    else known.push(row);
  }
  return rows;
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

function mergedRecords(fold: LedgerFold, listed: ReadonlyMap<LedgerRecord, unknown>): MergedRecord[] {
  const merged: Omit<MergedRecord, "position">[] = [];
  for (const record of fold.records.values()) {
    const into = fold.root(record);
    if (record.merge !== undefined && into !== undefined && listed.has(into)) merged.push({ record, into });
  }
  return merged
    .sort((a, b) => comparePublicId(a.record, b.record))
    .map((entry, index) => ({ ...entry, position: listed.size + index + 1 }));
}

function comparePublicId(a: LedgerRecord, b: LedgerRecord): number {
  return a.body.public_id < b.body.public_id ? -1 : 1;
}
