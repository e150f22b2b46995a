import type Database from "better-sqlite3";
import { Reassigned } from "../decisions/reassigned.ts";
import { ReassignBody } from "./rows.ts";

/** What reviewers moved. Reads the ledger through. */
export function reassignedIn(database: Database.Database): Reassigned {
  const moved = new Reassigned();
  const bodies = database
    .prepare<[], string>(
      "SELECT body FROM rows JOIN openings ON row = id WHERE kind = 'reassign' ORDER BY id",
    )
    .pluck();
  for (const body of bodies.all()) moved.apply(ReassignBody.parse(JSON.parse(body)));
  return moved;
}
