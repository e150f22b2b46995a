import type { Database } from "better-sqlite3";
import { selection } from "../../kernel/table.ts";
import { sources, tallies } from "../tables/independence.ts";

export function independenceQueries(db: Database) {
  return {
    /** Registered sources in the order of registration. */
    sources: selection(sources.columns).prepare(db, "FROM sources ORDER BY row").all,
    /** What checks set aside, the newest month first. */
    tallies: selection(tallies.columns).prepare(db, "FROM tallies ORDER BY month DESC").all,
  };
}
