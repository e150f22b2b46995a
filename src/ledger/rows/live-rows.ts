import type Database from "better-sqlite3";
import { z } from "zod";
import { type Redaction, redactedRows, redactions } from "./redactions.ts";
import {
  AssetBody,
  IdentityBody,
  ObservationBody,
  RecordBody,
  ReviewBody,
  type RowKind,
  StatusBody,
} from "./rows.ts";

/** A row that still has its values. */
export interface LiveRow<T> {
  readonly id: number;
  readonly body: T;
}

/** A live observation with its exact place, where the row has one. */
export interface LiveSighting extends LiveRow<ObservationBody> {
  readonly exact: { readonly lat: number; readonly lng: number } | undefined;
}

/** A review, identity or status row: about an observation, an asset or a record, and for a merge about two records. */
export interface LiveDecision {
  readonly id: number;
  readonly kind: "review" | "identity" | "status";
  readonly about: readonly number[];
}

const Exact = z.object({ exact: z.object({ lat: z.number(), lng: z.number() }) });
const Contact = z.object({ contact: z.object({ phone: z.string().optional() }) });

const About = z.object({
  record: z.int().optional(),
  target: z.int().optional(),
  into: z.int().nullish(),
});

type Stored = { readonly id: number; readonly body: string; readonly private: string | null };

/**
 * Which rows depend on which, read from the values that are still there. Each question reads the ledger through, so the
 * questions are few; sets of ids go in as JSON.
 */
export class LiveRows {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** The last row of the ledger, and its leaf hash in hexadecimal. */
  head(): { row: number; hash: string } {
    const last = this.#database
      .prepare<[], { row: number; hash: string }>(
        "SELECT id AS row, lower(hex(leaf_hash)) AS hash FROM rows ORDER BY id DESC LIMIT 1",
      )
      .get();
    return last ?? { row: 0, hash: "" };
  }

  hashOf(row: number): string | undefined {
    return this.#database
      .prepare<[number], string>("SELECT lower(hex(leaf_hash)) FROM rows WHERE id = ?")
      .pluck()
      .get(row);
  }

  /** The kind of a row, and what erased it; undefined for a row that is not there. */
  find(row: number): { kind: RowKind; isLive: boolean; erasedBy: Redaction | undefined } | undefined {
    const found = this.#database
      .prepare<[number], { kind: RowKind; live: number }>(
        "SELECT kind, openings.row IS NOT NULL AS live FROM rows LEFT JOIN openings ON openings.row = id WHERE id = ?",
      )
      .get(row);
    if (found === undefined) return undefined;
    const isLive = found.live === 1;
    return {
      kind: found.kind,
      isLive,
      erasedBy: isLive ? undefined : redactedRows(this.redactions()).get(row),
    };
  }

  redactions(): Redaction[] {
    return redactions(this.#database);
  }

  /** The record or asset row with a public id. */
  withPublicId(publicId: string): { id: number; kind: RowKind } | undefined {
    return this.#database
      .prepare<[string], { id: number; kind: RowKind }>(
        "SELECT id, kind FROM rows JOIN openings ON row = id WHERE kind IN ('record', 'asset') AND body ->> '$.public_id' = ?",
      )
      .get(publicId);
  }

  /** All merges that were ever decided and not erased, in order. */
  merges(): LiveRow<ReviewBody>[] {
    return this.#select("kind = 'review' AND body ->> '$.decision' = 'merge'")
      .all()
      .map(({ id, body }) => ({ id, body: ReviewBody.parse(JSON.parse(body)) }));
  }

  records(ids: Iterable<number>): LiveRow<RecordBody>[] {
    return this.#select(`kind = 'record' AND id IN ${SET}`)
      .all(set(ids))
      .map(({ id, body }) => ({ id, body: RecordBody.parse(JSON.parse(body)) }));
  }

  /** The assets of these records, and these assets. */
  assets(records: Iterable<number>, ids: Iterable<number>): LiveRow<AssetBody>[] {
    return this.#select(`kind = 'asset' AND (id IN ${SET} OR body ->> '$.record' IN ${SET})`)
      .all(set(ids), set(records))
      .map(({ id, body }) => ({ id, body: AssetBody.parse(JSON.parse(body)) }));
  }

  /** The observations of these records and of these assets. */
  sightings(records: Iterable<number>, assets: Iterable<number>): LiveSighting[] {
    return this.#select(
      `kind = 'observation' AND (body ->> '$.record' IN ${SET} OR body ->> '$.asset' IN ${SET})`,
    )
      .all(set(records), set(assets))
      .map(({ id, body, private: hidden }) => ({
        id,
        body: ObservationBody.parse(JSON.parse(body)),
        exact: Exact.safeParse(JSON.parse(hidden ?? "null")).data?.exact,
      }));
  }

  /** What was decided about these rows. */
  decisions(about: Iterable<number>): LiveDecision[] {
    const ids = set(about);
    return this.#database
      .prepare<[string, string, string], { id: number; kind: LiveDecision["kind"]; body: string }>(
        `SELECT id, kind, body FROM rows JOIN openings ON row = id
         WHERE kind IN ('review', 'identity', 'status')
           AND (body ->> '$.target' IN ${SET} OR body ->> '$.into' IN ${SET} OR body ->> '$.record' IN ${SET})
         ORDER BY id`,
      )
      .all(ids, ids, ids)
      .map(({ id, kind, body }) => ({ id, kind, about: subjects(kind, JSON.parse(body)) }));
  }

  /** The records that a live row is about: its own, its asset's, or those of what was decided about. */
  recordsAbout(row: number): number[] {
    const found = this.find(row);
    const body = found?.isLive === true ? this.#select("id = ?").get(row)?.body : undefined;
    if (found === undefined || body === undefined) return [];
    if (found.kind === "record") return [row];
    const { record, target, into } = About.parse(JSON.parse(body));
    return [record, into, ...(typeof target === "number" ? this.recordsAbout(target) : [])].filter(
      (id) => typeof id === "number",
    );
  }

  /** The telephone number of a record, as its row keeps it privately. */
  phoneOf(record: number): string | undefined {
    const found = this.#select("id = ?").get(record);
    return Contact.safeParse(JSON.parse(found?.private ?? "null")).data?.contact.phone;
  }

  onlineChecks(records: Iterable<number>): number {
    const count = this.#database.prepare<[string], number>(
      `SELECT count(*) FROM online_checks WHERE record IN ${SET}`,
    );
    return count.pluck().get(set(records)) ?? 0;
  }

  #select(condition: string): Database.Statement<(string | number)[], Stored> {
    return this.#database.prepare<(string | number)[], Stored>(
      `SELECT id, body, private FROM rows JOIN openings ON row = id WHERE ${condition} ORDER BY id`,
    );
  }
}

const SET = "(SELECT value FROM json_each(?))";

function set(ids: Iterable<number>): string {
  return JSON.stringify([...ids]);
}

function subjects(kind: LiveDecision["kind"], body: unknown): number[] {
  if (kind === "identity") return [IdentityBody.parse(body).record];
  if (kind === "status") return [StatusBody.parse(body).record];
  const { target, into } = ReviewBody.parse(body);
  return into === null ? [target] : [target, into];
}
