/** What reviewers look at: live rows of every kind but observations, seals and redactions, and what intake holds for them. */
import type Database from "better-sqlite3";
import { z } from "zod";
import { AssetBody, CityBody, IdentityBody, RecordBody, ReviewBody, StatusBody } from "./rows.ts";

const common = { id: z.int(), acceptedAt: z.number() }; // ms, private: public only as the day

const DeskRow = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("record"), body: RecordBody, candidates: z.array(z.int()) }),
  z.object({ ...common, kind: z.literal("asset"), body: AssetBody }),
  z.object({ ...common, kind: z.literal("review"), body: ReviewBody }),
  z.object({ ...common, kind: z.literal("identity"), body: IdentityBody }),
  z.object({ ...common, kind: z.literal("status"), body: StatusBody }),
  z.object({ ...common, kind: z.literal("city"), body: CityBody }),
]);
export type DeskRow = z.infer<typeof DeskRow>;

type StoredRow = { id: number; kind: string; acceptedAt: number; body: string; candidates: string | null };

/** A line that waits for a decision. Private as a whole. */
export interface HeldForReview {
  readonly key: string; // keyed hash of its source's reference, hexadecimal
  readonly heldAt: number; // ms
  readonly reason: string;
  readonly input: string; // the line, as JSON
}

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
         WHERE id > ? AND kind IN ('record', 'asset', 'review', 'identity', 'status', 'city') ORDER BY id`,
      )
      .all(after);
    for (const { candidates, ...row } of stored) {
      const body = JSON.parse(row.body);
      // A record's match candidates are private; rows written before have them in their body.
      const known = candidates === null ? (body.match_candidates ?? []) : JSON.parse(candidates);
      yield DeskRow.parse({ ...row, body, candidates: known });
    }
  }

  /** Asset -> the row and the public time (ISO) of its last observation. Reads the ledger through once. */
  lastSeen(): Map<number, { readonly row: number; readonly observedAt: string }> {
    const stored = this.#database
      .prepare<[], { asset: number; row: number; observedAt: string }>(
        `SELECT body ->> '$.asset' AS asset, max(id) AS row, max(body ->> '$.observed_at') AS observedAt
         FROM rows JOIN openings ON row = id WHERE kind = 'observation' GROUP BY 1`,
      )
      .all();
    return new Map(stored.map(({ asset, ...seen }) => [asset, seen]));
  }

  /** Lines that intake holds, the earliest first; none before its tables are made. */
  held(): HeldForReview[] {
    if (!this.#hasTable("held")) return [];
    return this.#database
      .prepare<[], HeldForReview>(
        "SELECT lower(hex(key)) AS key, held_at AS heldAt, reason, input FROM held ORDER BY held_at, key",
      )
      .all();
  }

  /** What became of a line that was taken: its row, null while or because it has none; undefined when it never came. */
  lineOf(key: string): { readonly row: number | null } | undefined {
    if (!this.#hasTable("source_refs")) return undefined;
    return this.#database
      .prepare<[Buffer], { row: number | null }>("SELECT row FROM source_refs WHERE key = ?")
      .get(Buffer.from(key, "hex"));
  }

  #hasTable(name: string): boolean {
    return (
      this.#database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !==
      undefined
    );
  }
}
