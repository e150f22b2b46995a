import type { AssetState } from "../../ledger/decisions/ledger-state.ts";
import type { OnlineCheck } from "../../ledger/outside-tree.ts";
import type { EventHistory } from "../../method/events/events.ts";
import { asOfAt } from "../../method/numbers.ts";
import type { LookRow } from "../../method/types.ts";
import type { CityAccuracy } from "./city-accuracy.ts";
import { countHistory } from "./count-history.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import type { ListedCity, ListedRecord } from "./listing.ts";
import { cityAccuracy } from "./revisits.ts";
import type { SightingColumns } from "./sighting-columns.ts";

/** Online checks of each record, the earliest first. */
export type ChecksByRecord = ReadonlyMap<number, readonly OnlineCheck[]>;

/** All that a release of one city is computed from. */
export interface CityFacts {
  readonly listed: ListedCity;
  readonly sightings: SightingColumns; // those of other cities are there, too
  readonly assets: ReadonlyMap<number, AssetState>;
  /** Of observations that the records that list them count under another tag than the one of the row. */
  readonly otherTags: ReadonlyMap<number, string>;
  readonly countHistory: EventHistory;
  readonly looks: readonly LookRow[];
  readonly accuracy: CityAccuracy;
  readonly checks: ChecksByRecord;
}

/** The same as plain data, for a thread that shares the sightings. */
export type CityTask = Omit<CityFacts, "sightings">;

/** The facts of a city as of `ms`. */
export function cityFacts(
  fold: LedgerFold,
  listed: ListedCity,
  checks: ChecksByRecord,
  ms: number,
): CityFacts {
  const { city, records } = listed;
  return {
    listed,
    sightings: fold.sightings,
    assets: assetsOf(fold, records),
    otherTags: otherTags(fold, records),
    countHistory: countHistory(fold, records),
    looks: fold.lookRows(city.slug),
    accuracy: cityAccuracy(fold, city, asOfAt(ms, city.details.lng)),
    checks: new Map(records.map(({ record }) => [record.id, checks.get(record.id) ?? []])),
  };
}

/** Of these records: see `CityFacts`. */
export function otherTags(fold: LedgerFold, records: readonly ListedRecord[]): Map<number, string> {
  const otherwise = fold.mayBeShownOtherwise();
  const tags = new Map<number, string>();
  for (const { rows } of records)
    for (const row of rows) if (otherwise[row] === 1) tags.set(row, fold.observerTag(row));
  return tags;
}

function assetsOf(
  { sightings, assets }: LedgerFold,
  records: readonly ListedRecord[],
): Map<number, AssetState> {
  const seen = new Set<number>();
  for (const { rows } of records) for (const row of rows) seen.add(sightings.asset(row));
  return new Map(
    [...seen].flatMap((row) => {
      const asset = assets.get(row);
      return asset === undefined ? [] : [[row, asset] as const];
    }),
  );
}
