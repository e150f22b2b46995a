import type { Database } from "better-sqlite3";
import { inserter } from "../../kernel/table.ts";
import { monthlyTallies, registeredSources } from "../fold/independence.ts";
import type { LedgerFold } from "../fold/ledger-fold.ts";
import { sources, tallies } from "../tables/independence.ts";

/** Writes the registered sources, and what checks set aside by month. */
export function writeIndependence(
  db: Database,
  { sourceRows, sightings, tallies: bodies }: LedgerFold,
): void {
  const insertSource = inserter(db, sources);
  for (const source of registeredSources(sourceRows, sightings.lastIntake())) insertSource(source);
  const insertTally = inserter(db, tallies);
  for (const tally of monthlyTallies(bodies)) insertTally(tally);
}
