import type { Database } from "better-sqlite3";
import type { LedgerFold } from "../fold/ledger-fold.ts";
import type { Listing } from "../fold/listing.ts";
import { cityVersions } from "../tables/cities.ts";
import { erasures, merges, recounts, verdicts, writtenObservations } from "../tables/decisions.ts";
import { inserter } from "../tables/table.ts";

/** Writes the decisions about everything that the release shows. */
export function writeDecisionHistory(db: Database, fold: LedgerFold, { cities }: Listing): void {
  const { history, sightings } = fold;
  const insertVerdict = inserter(db, verdicts);
  for (const verdict of history.verdicts) if (sightings.record(verdict.target) !== 0) insertVerdict(verdict);
  const insertMerge = inserter(db, merges);
  for (const merge of history.merges) insertMerge(merge);
  const insertRecount = inserter(db, recounts);
  for (const recount of history.recounts) insertRecount(recount);
  const insertErasure = inserter(db, erasures);
  for (const [, erasure] of [...history.erasures].sort(([a], [b]) => a - b)) insertErasure(erasure);
  const insertVersion = inserter(db, cityVersions);
  const published = new Set(cities.map(({ city }) => city.slug));
  for (const version of history.cities) if (published.has(version.city)) insertVersion(version);
  writeWrittenObservations(db, fold, cities);
}

function writeWrittenObservations(db: Database, fold: LedgerFold, cities: Listing["cities"]): void {
  const insert = inserter(db, writtenObservations);
  const { sightings } = fold;
  for (const { records } of cities)
    for (const { record, rows } of records)
      for (const row of rows) {
        if (fold.isShownAsWritten(row, record.id)) continue;
        const { record: own, tag, isFromBefore } = sightings.rowTag(row);
        insert({ row, record: own, observerTag: tag, counts: sightings.countedAtEntry(row), isFromBefore });
      }
}
