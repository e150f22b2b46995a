/** What reviewers look at: live rows of every kind but observations, seals and redactions, and the lines that intake holds for them. */
import type Database from "better-sqlite3";
import { z } from "zod";
import { type HeldLine, reviewedLines } from "../matching/pending-lines.ts";
import { refRow } from "../matching/source-refs.ts";
import { type SetAsideObservation, setAsideObservations } from "../sources/set-aside-observations.ts";
import { type RaisedItem, SourceStore } from "../sources/source-store.ts";
import { reassignedIn } from "./reassigned-rows.ts";
import {
  AssetBody,
  CityBody,
  IdentityBody,
  NamingBody,
  ReassignBody,
  RecordBody,
  ReviewBody,
  StatusBody,
} from "./rows.ts";

const common = { id: z.int(), acceptedAt: z.number() }; // ms, private: public only as the day

const DeskRow = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("record"), body: RecordBody }),
  z.object({ ...common, kind: z.literal("naming"), body: NamingBody, candidates: z.array(z.int()) }),
  z.object({ ...common, kind: z.literal("asset"), body: AssetBody }),
  z.object({ ...common, kind: z.literal("reassign"), body: ReassignBody }),
  z.object({ ...common, kind: z.literal("review"), body: ReviewBody }),
  z.object({ ...common, kind: z.literal("identity"), body: IdentityBody }),
  z.object({ ...common, kind: z.literal("status"), body: StatusBody }),
  z.object({ ...common, kind: z.literal("city"), body: CityBody }),
]);
export type DeskRow = z.infer<typeof DeskRow>;

type StoredRow = { id: number; kind: string; acceptedAt: number; body: string; candidates: string | null };

export class DeskRows {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** In order, after a row. Reads the ledger through once. */
  *rows(after = 0): Generator<DeskRow> {
    const stored = this.#database
      .prepare<[number], StoredRow>(
        `SELECT id, kind, accepted_at AS acceptedAt, body, private -> '$.match_candidates' AS candidates
         FROM rows JOIN openings ON row = id
         WHERE id > ? AND kind IN ('record', 'naming', 'asset', 'reassign', 'review', 'identity', 'status', 'city')
         ORDER BY id`,
      )
      .all(after);
    for (const { candidates, ...row } of stored) {
      yield DeskRow.parse({
        ...row,
        body: JSON.parse(row.body),
        candidates: JSON.parse(candidates ?? "[]"),
      });
    }
  }

  /** Asset -> the row and the public time (ISO) of the last observation that counts. Reads the ledger through once. */
  lastSeen(): Map<number, { readonly row: number; readonly observedAt: string }> {
    const moved = [...reassignedIn(this.#database).places()].map(([row, { asset }]) => [row, asset] as const);
    const stored = this.#database
      .prepare<[string], { asset: number; row: number; observedAt: string }>(
        `WITH moved AS MATERIALIZED (SELECT CAST(key AS INTEGER) AS target, value AS asset FROM json_each(?)),
           live AS (SELECT id, kind, body FROM rows JOIN openings ON row = id),
           recounts AS (SELECT body ->> '$.target' AS target, body ->> '$.counts' AS counts, max(id) FROM live
             WHERE kind = 'recount' AND counts IS NOT NULL GROUP BY 1),
           verdicts AS (SELECT body ->> '$.target' AS target, body ->> '$.decision' AS decision, max(id) FROM live
             WHERE kind = 'review' AND decision IN ('verify', 'reject') GROUP BY 1)
         SELECT coalesce(moved.asset, body ->> '$.asset') AS asset, max(id) AS row,
           max(body ->> '$.observed_at') AS observedAt
         FROM live LEFT JOIN moved ON moved.target = id
           LEFT JOIN recounts ON recounts.target = id LEFT JOIN verdicts ON verdicts.target = id
         WHERE kind = 'observation' AND coalesce(counts, body ->> '$.counts') = 1 AND decision IS NOT 'reject'
         GROUP BY 1`,
      )
      .all(JSON.stringify(Object.fromEntries(moved)));
    return new Map(stored.map(({ asset, ...seen }) => [asset, seen]));
  }

  /** Lines that wait for a reviewer, and those that a reviewer accepted and that have no row yet; the earliest first. */
  heldLines(): HeldLine[] {
    return reviewedLines(this.#database);
  }

  /** Observations that a check set aside (see `setAsideObservations`). */
  setAside(): SetAsideObservation[] {
    return setAsideObservations(this.#database);
  }

  /** What checks raised and no reviewer has closed, the earliest first. */
  raisedItems(): RaisedItem[] {
    return new SourceStore(this.#database).openItems();
  }

  /** The row of an accepted line, null while or because it has none; undefined when it never came. */
  lineOf(key: string): { readonly row: number | null } | undefined {
    return refRow(this.#database, Buffer.from(key, "hex"));
  }
}
