import type { Database } from "better-sqlite3";
import type { LedgerFold } from "../fold/ledger-fold.ts";
import type { Listing } from "../fold/listing.ts";
import { inserter } from "./inserter.ts";

/** Writes the decisions about everything that the release shows. */
export function writeDecisionHistory(db: Database, fold: LedgerFold, listed: Listing): void {
  const { verdicts, merges, erasures, cities } = fold.history;
  const { sightings } = fold;
  const insertVerdict = inserter(db, "verdicts");
  for (const { target, row, decision } of verdicts)
    if (sightings.record(target) !== 0) insertVerdict([target, row, decision]);
  const insertMerge = inserter(db, "merges");
  for (const { row, record, into, tags } of merges) insertMerge([row, record, into, JSON.stringify(tags)]);
  const insertErasure = inserter(db, "erasures");
  for (const [row, { by, kind }] of [...erasures].sort(([a], [b]) => a - b)) insertErasure([row, by, kind]);
  const insertCity = inserter(db, "city_versions");
  const published = new Set(listed.cities.map(({ city }) => city.slug));
  for (const { slug, row, name, lng, isPublished } of cities)
    if (published.has(slug)) insertCity([slug, row, name, lng, Number(isPublished)]);
  writeMergedObservations(db, fold, listed);
}

/** Observations that count for another record than the one they name, as they stand in the ledger. */
function writeMergedObservations(db: Database, { sightings }: LedgerFold, { cities }: Listing): void {
  const insert = inserter(db, "merged_observations");
  for (const { record, rows } of cities.flatMap(({ records }) => records))
    for (const row of rows) {
      const own = sightings.record(row);
      if (own !== record.id) insert([row, own, sightings.observer(row)]);
    }
}
