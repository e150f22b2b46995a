import type { Database } from "better-sqlite3";
import type { LedgerFold } from "../fold/ledger-fold.ts";
import type { Listing } from "../fold/listing.ts";
import type { SightingColumns } from "../fold/sighting-columns.ts";
import { cityVersions } from "../tables/cities.ts";
import { erasures, mergedObservations, merges, verdicts } from "../tables/decisions.ts";
import { inserter } from "../tables/table.ts";

/** Writes the decisions about everything that the release shows. */
export function writeDecisionHistory(
  db: Database,
  { history, sightings }: LedgerFold,
  { cities }: Listing,
): void {
  const insertVerdict = inserter(db, verdicts);
  for (const verdict of history.verdicts) if (sightings.record(verdict.target) !== 0) insertVerdict(verdict);
  const insertMerge = inserter(db, merges);
  for (const merge of history.merges) insertMerge(merge);
  const insertErasure = inserter(db, erasures);
  for (const [, erasure] of [...history.erasures].sort(([a], [b]) => a - b)) insertErasure(erasure);
  const insertVersion = inserter(db, cityVersions);
  const published = new Set(cities.map(({ city }) => city.slug));
  for (const version of history.cities) if (published.has(version.city)) insertVersion(version);
  writeMergedObservations(db, sightings, cities);
}

function writeMergedObservations(db: Database, sightings: SightingColumns, cities: Listing["cities"]): void {
  const insert = inserter(db, mergedObservations);
  for (const { record, rows } of cities.flatMap(({ records }) => records))
    for (const row of rows) {
      const own = sightings.record(row);
      if (own !== record.id) insert({ row, record: own, observerTag: sightings.observer(row) });
    }
}
