import type { Database } from "better-sqlite3";
import { inserter, type RowOf } from "../../kernel/table.ts";
import type { LedgerFold } from "../fold/ledger-fold.ts";
import type { Listing } from "../fold/listing.ts";
import { cityVersions } from "../tables/cities.ts";
import {
  changes,
  earlierNames,
  erasures,
  merges,
  reassigns,
  recounts,
  verdicts,
  writtenObservations,
} from "../tables/decisions.ts";

/** Writes the decisions about everything that the release shows. */
export function writeDecisionHistory(db: Database, fold: LedgerFold, { cities }: Listing): void {
  const { history, sightings } = fold;
  const insertVerdict = inserter(db, verdicts);
  for (const verdict of history.verdicts) if (sightings.record(verdict.target) !== 0) insertVerdict(verdict);
  const insertMerge = inserter(db, merges);
  for (const merge of history.merges) insertMerge(merge);
  const insertReassign = inserter(db, reassigns);
  for (const reassign of history.reassigns) insertReassign(reassign);
  const insertRecount = inserter(db, recounts);
  for (const recount of history.recounts) insertRecount(recount);
  const insertName = inserter(db, earlierNames);
  for (const name of history.names) insertName(name);
  const insertErasure = inserter(db, erasures);
  const gone = new Map([...fold.withdrawnRows()].map((each) => [each.row, each]));
  for (const [row, erasure] of history.erasures) gone.set(row, erasure);
  for (const [, erasure] of [...gone].sort(([a], [b]) => a - b)) insertErasure(erasure);
  const insertVersion = inserter(db, cityVersions);
  const published = new Set(cities.map(({ city }) => city.slug));
  for (const version of history.cities) if (published.has(version.city)) insertVersion(version);
  writeWrittenObservations(db, fold, cities);
  writeChanges(db, fold);
}

function writeChanges(db: Database, { history }: LedgerFold): void {
  const insert = inserter(db, changes);
  for (const change of history.changes) insert(change);
}

function writeWrittenObservations(db: Database, fold: LedgerFold, cities: Listing["cities"]): void {
  const insert = inserter(db, writtenObservations);
  const mayDiffer = fold.mayBeShownOtherwise(); // a look at each of millions of rows takes longer than writing them
  for (const { record, rows } of cities.flatMap(({ records }) => records))
    for (const row of rows.filter((row) => mayDiffer[row] === 1)) {
      const written = asWritten(fold, row);
      if (!isShown(fold, written, record.id)) insert(written);
    }
}

type Written = RowOf<typeof writtenObservations.columns>;

function asWritten({ sightings }: LedgerFold, row: number): Written {
  const { record, asset, observer_tag: observerTag } = sightings.written(row);
  return { row, record, asset, observerTag, counts: sightings.countedAtEntry(row) };
}

function isShown(fold: LedgerFold, written: Written, shownFor: number): boolean {
  const { row, record, asset, observerTag, counts } = written;
  return (
    record === shownFor &&
    asset === fold.sightings.asset(row) &&
    observerTag === fold.observerTag(row) &&
    counts === fold.sightings.counts(row)
  );
}
