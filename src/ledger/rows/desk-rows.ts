import type Database from "better-sqlite3";
import { z } from "zod";
import { LedgerState } from "../decisions/ledger-state.ts";
import { reassignedIn } from "../decisions/merges.ts";
import { taughtPhones } from "../disclose.ts";
import { type HeldLine, PendingLines } from "../matching/pending-lines.ts";
import { SourceRefs } from "../matching/source-refs.ts";
import { latestOnlineChecks, type OnlineCheck } from "../outside-tree.ts";
import { type RaisedItem, SourceStore } from "../sources/source-store.ts";
import {
  type Among,
  type SetAsideObservation,
  type StoredObservation,
  setAsideObservations,
  storedObservations,
} from "../sources/stored-observations.ts";
import {
  AssetBody,
  CityBody,
  IdentityBody,
  LookBody,
  NamingBody,
  ReassignBody,
  RecordBody,
  ReviewBody,
  StatusBody,
} from "./rows.ts";

/** What reviewers look at: live rows of every kind but observations, seals and redactions, and the lines that intake holds for them. */

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

/** The last observation of an asset by one observer; `observedAt` is its public time (ISO). */
export interface AssetReport {
  readonly asset: number;
  readonly row: number;
  readonly observedAt: string;
  readonly cell: string;
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

  /** What each observer last saw of each asset, by observations that count. Reads the ledger through once. */
  lastSeen(): Map<number, readonly AssetReport[]> {
    const moved = [...reassignedIn(this.#database).places()].map(([row, { asset }]) => [row, asset] as const);
    const stored = this.#database
      .prepare<[string], AssetReport>(
        `WITH moved AS MATERIALIZED (SELECT CAST(key AS INTEGER) AS target, value AS asset FROM json_each(?)),
           live AS (SELECT id, kind, body FROM rows JOIN openings ON row = id),
           recounts AS (SELECT body ->> '$.target' AS target, body ->> '$.counts' AS counts, max(id) FROM live
             WHERE kind = 'recount' AND counts IS NOT NULL GROUP BY 1),
           verdicts AS (SELECT body ->> '$.target' AS target, body ->> '$.decision' AS decision, max(id) FROM live
             WHERE kind = 'review' AND decision IN ('verify', 'reject') GROUP BY 1)
         SELECT coalesce(moved.asset, body ->> '$.asset') AS asset, max(id) AS row,
           max(body ->> '$.observed_at') AS observedAt, body ->> '$.h3_cell' AS cell
         FROM live LEFT JOIN moved ON moved.target = id
           LEFT JOIN recounts ON recounts.target = id LEFT JOIN verdicts ON verdicts.target = id
         WHERE kind = 'observation' AND coalesce(counts, body ->> '$.counts') = 1 AND decision IS NOT 'reject'
         GROUP BY 1, body ->> '$.observer_tag'`,
      )
      .all(JSON.stringify(Object.fromEntries(moved)));
    return Map.groupBy(stored, ({ asset }) => asset);
  }

  /** The months in which two or more principals looked at cells of cities, of which some rows are live. */
  monthLooks(): {
    readonly city: string;
    readonly start: string;
    readonly manifest: string;
    readonly cells: string;
  }[] {
    return this.#database
      .prepare<[], { body: string }>(
        "SELECT body FROM rows JOIN openings ON row = id WHERE kind = 'look' AND body ->> '$.span' = 'month'",
      )
      .all()
      .map(({ body }) => LookBody.parse(JSON.parse(body)));
  }

  /** Lines that wait for a reviewer, and those that a reviewer accepted and that have no row yet; the earliest first. */
  heldLines(): HeldLine[] {
    return new PendingLines(this.#database).reviewed();
  }

  /** Live observations with their private values (see `storedObservations`). */
  observations(among: Among): Generator<StoredObservation> {
    return storedObservations(this.#database, among);
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
    return new SourceRefs(this.#database).find(Buffer.from(key, "hex"));
  }
}

/** A live record that may get an online check. Website and telephone are those that counting rows, or a reviewer, taught; `phone` is private. */
export interface RecordToLookFor {
  readonly record: number;
  readonly name: string;
  readonly city: string; // display name
  readonly website: string | null;
  readonly phone: string | undefined;
  readonly lastCheck: OnlineCheck | undefined;
}

/**
 * Every live record of a published city, in order, except the merged, the dissolved and the synthetic: no search service is asked
 * about invented businesses. Reads the ledger through.
 */
export function* recordsToLookFor(database: Database.Database): Generator<RecordToLookFor> {
  const { records, cities } = LedgerState.of(new DeskRows(database).rows());
  const phones = taughtPhones(database);
  const checks = latestOnlineChecks(database, Number.MAX_SAFE_INTEGER);
  for (const { id, body, name, website, merge, status } of records.values()) {
    const city = cities.get(body.city);
    if (city?.publicationStatus !== "published" || body.is_synthetic) continue;
    if (merge !== undefined || status === "dissolved") continue;
    const [phone, lastCheck] = [phones.get(id), checks.get(id)];
    yield { record: id, name, city: city.details.name, website, phone, lastCheck };
  }
}
