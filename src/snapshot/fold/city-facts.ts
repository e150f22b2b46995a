import type { AssetState } from "../../ledger/decisions/ledger-state.ts";
import type { OnlineCheck } from "../../ledger/online-checks.ts";
import { asOfAt } from "../../method/as-of.ts";
import type { LookRow } from "../../method/types.ts";
import type { CityAccuracy } from "./city-accuracy.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import type { ListedCity } from "./listing.ts";
import { cityAccuracy } from "./revisits.ts";
import { type GatheredSightings, SightingColumns } from "./sighting-columns.ts";

/** Online checks of each record, the earliest first. */
export type ChecksByRecord = ReadonlyMap<number, readonly OnlineCheck[]>;

/** All that a release of one city is computed from. */
export interface CityFacts {
  readonly listed: ListedCity;
  readonly sightings: SightingColumns; // those of other cities may be there, too
  readonly assets: ReadonlyMap<number, AssetState>;
  /** Of an observation, as the record that lists it counts it. */
  readonly observerTag: (row: number) => string;
  /** Whether that may be another tag than the one of the row. */
  readonly mayHaveOtherTag: (row: number) => boolean;
  readonly looks: readonly LookRow[];
  readonly accuracy: CityAccuracy;
  readonly checks: ChecksByRecord;
}

/** The same as plain data, for a thread. */
export interface CityTask extends Pick<CityFacts, "listed" | "looks" | "accuracy"> {
  readonly sightings: GatheredSightings;
  readonly otherTags: readonly (readonly [row: number, tag: string])[]; // where it is not the one of the row
  readonly assets: readonly AssetState[];
  readonly checks: readonly (readonly [record: number, checks: readonly OnlineCheck[]])[];
}

/** The facts of a city as of `ms`, which share what `fold` holds. */
export function cityFacts(
  fold: LedgerFold,
  listed: ListedCity,
  checks: ChecksByRecord,
  ms: number,
): CityFacts {
  const { city } = listed;
  const otherwise = fold.mayBeShownOtherwise();
  return {
    listed,
    sightings: fold.sightings,
    assets: fold.assets,
    observerTag: (row) => fold.observerTag(row),
    mayHaveOtherTag: (row) => otherwise[row] === 1,
    looks: fold.lookRows(city.slug),
    accuracy: cityAccuracy(fold, city, asOfAt(ms, city.details.lng)),
    checks,
  };
}

export function cityTask(facts: CityFacts): CityTask {
  const { listed, sightings, assets, looks, accuracy, checks } = facts;
  const records = listed.records.map(({ record }) => record.id);
  const seen = listed.records.map(({ rows }) => rows);
  const own = [...assetsOf(sightings, seen)].flatMap((row) => assets.get(row) ?? []);
  const others = own.flatMap(({ id, retirements }) => [id, ...retirements.map(({ row }) => row)]);
  return {
    listed,
    looks,
    accuracy,
    sightings: sightings.gather(allOf([...seen, records, others])),
    otherTags: seen.flatMap((rows) => otherTags(rows, facts)),
    assets: own,
    checks: records.map((record) => [record, checks.get(record) ?? []]),
  };
}

export function factsOfTask(task: CityTask): CityFacts {
  const { sightings: gathered, otherTags, assets, checks, ...facts } = task;
  const sightings = SightingColumns.of(gathered);
  const tags = new Map(otherTags);
  return {
    ...facts,
    sightings,
    assets: new Map(assets.map((asset) => [asset.id, asset])),
    observerTag: (row) => tags.get(row) ?? sightings.observer(row),
    mayHaveOtherTag: (row) => tags.has(row),
    checks: new Map(checks),
  };
}

function otherTags(
  rows: Uint32Array,
  { observerTag, mayHaveOtherTag }: CityFacts,
): (readonly [row: number, tag: string])[] {
  const tags: (readonly [row: number, tag: string])[] = [];
  for (const row of rows) if (mayHaveOtherTag(row)) tags.push([row, observerTag(row)]);
  return tags;
}

function assetsOf(sightings: SightingColumns, rows: readonly Uint32Array[]): Set<number> {
  const found = new Set<number>();
  for (const own of rows) for (const row of own) found.add(sightings.asset(row));
  return found;
}

function allOf(lists: readonly ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
