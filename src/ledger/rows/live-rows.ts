import type Database from "better-sqlite3";
import { z } from "zod";
import { type Merge, mergeOf, type Place, type Reassigned, reassignedIn } from "../decisions/merges.ts";
import { Seen } from "../sources/stored-observations.ts";
import { type AssetRef, assetRefs } from "./private-values.ts";
import { type Redaction, redactedRows, redactions } from "./redactions.ts";
import {
  AssetBody,
  IdentityBody,
  NamingBody,
  ObservationBody,
  ReassignBody,
  RecordBody,
  RecountBody,
  ReviewBody,
  RevisitBody,
  type RowKind,
  StatusBody,
  TallyBody,
} from "./rows.ts";

/** A row that still has its values. */
export interface LiveRow<T> {
  readonly id: number;
  readonly body: T;
}

/**
 * A live observation as it counts after moves (see `Reassigned`), with its exact place and what its line said; both undefined where the
 * private values are gone.
 */
export interface LiveSighting extends LiveRow<ObservationBody> {
  readonly exact: { readonly lat: number; readonly lng: number } | undefined;
  readonly seen: Seen | undefined;
}

/** A merge with the body of its review. */
export interface LiveMerge extends Merge {
  readonly body: ReviewBody;
}

/** A row that says something about others: about an observation, an asset or a record, and for a merge about two records. */
export interface LiveDecision {
  readonly id: number;
  readonly kind: "naming" | "reassign" | "review" | "identity" | "status" | "recount";
  readonly about: readonly number[];
}

/** Who saw something of a record. */
export interface LivePrincipal {
  readonly principal: string | null; // private; null where it was erased
  readonly tag: string;
}

const Hidden = z.object({ exact: z.object({ lat: z.number(), lng: z.number() }), seen: Seen });

const About = z.object({
  record: z.int().optional(),
  target: z.int().optional(),
  into: z.int().nullish(),
});

type Stored = { readonly id: number; readonly body: string; readonly private: string | null };

/** Queries over the rows that still have their values. Most read the ledger through; sets of ids go in as JSON. */
export class LiveRows {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Whether a city has rows besides its own, or looks that wait for theirs. Reads the ledger through where it has none. */
  hasRowsOf(city: string): boolean {
    return (
      this.#database
        .prepare<[string, string], number>(
          `SELECT 1 FROM looks WHERE city = ? UNION ALL
           SELECT 1 FROM rows JOIN openings ON row = id WHERE kind <> 'city' AND body ->> '$.city' = ? LIMIT 1`,
        )
        .pluck()
        .get(city, city) !== undefined
    );
  }

  /** The last row up to `upTo`, erased or not, and its leaf hash in hexadecimal; row 0 without a hash when there is none. */
  last(upTo = Number.MAX_SAFE_INTEGER): { row: number; hash: string } {
    const last = this.#database
      .prepare<[number], { row: number; hash: string }>(
        "SELECT id AS row, lower(hex(leaf_hash)) AS hash FROM rows WHERE id <= ? ORDER BY id DESC LIMIT 1",
      )
      .get(upTo);
    return last ?? { row: 0, hash: "" };
  }

  /** The kind of a row, and what erased it; undefined for a row that does not exist. */
  find(row: number): { kind: RowKind; isLive: boolean; erasedBy: Redaction | undefined } | undefined {
    const stored = this.#database
      .prepare<[number], { kind: RowKind; live: number }>(
        "SELECT kind, openings.row IS NOT NULL AS live FROM rows LEFT JOIN openings ON openings.row = id WHERE id = ?",
      )
      .get(row);
    if (stored === undefined) return undefined;
    const isLive = stored.live === 1;
    const erasedBy = isLive ? undefined : redactedRows(this.redactions()).get(row);
    return { kind: stored.kind, isLive, erasedBy };
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

  /** All that was ever decided of merges, in order, whether it is in effect or not. */
  merges(): LiveMerge[] {
    return this.#select("kind = 'review' AND body ->> '$.decision' IN ('merge', 'unmerge')").flatMap(
      ({ id, body }) => {
        const review = ReviewBody.parse(JSON.parse(body));
        const merge = mergeOf(id, review);
        return merge === undefined ? [] : [{ ...merge, body: review }];
      },
    );
  }

  records(ids: Iterable<number>): LiveRow<RecordBody>[] {
    return this.#select(`kind = 'record' AND id IN ${SET}`, set(ids)).map(opened(RecordBody));
  }

  /** The namings of these records, in order. */
  namings(records: Iterable<number>): LiveRow<NamingBody>[] {
    return this.#select(`kind = 'naming' AND body ->> '$.record' IN ${SET}`, set(records)).map(
      opened(NamingBody),
    );
  }

  /** What reviewers moved. Reads the ledger through. */
  reassigned(): Reassigned {
    return reassignedIn(this.#database);
  }

  /** The assets of these records, and these assets. */
  assets(records: Iterable<number>, ids: Iterable<number>): LiveRow<AssetBody>[] {
    const moved = this.reassigned();
    const [owners, named] = [new Set(records), new Set(ids)];
    const condition = `kind = 'asset' AND (id IN ${SET} OR body ->> '$.record' IN ${SET} OR id IN ${SET})`;
    const movedOnes = [...moved.places().values()].map(({ asset }) => asset);
    return this.#select(condition, set(named), set(owners), set(movedOnes))
      .map(opened(AssetBody))
      .map(({ id, body }) => ({ id, body: moved.owned(id, body) }))
      .filter(({ id, body }) => named.has(id) || owners.has(body.record));
  }

  /** Where an observation was before any move: what its row says. */
  written(observation: number): Place | undefined {
    const [stored] = this.#select("kind = 'observation' AND id = ?", observation);
    if (stored === undefined) return undefined;
    const { record, asset, observer_tag } = opened(ObservationBody)(stored).body;
    return { record, asset, observer_tag };
  }

  /** The observations of these records and of these assets. */
  sightings(records: Iterable<number>, assets: Iterable<number>): LiveSighting[] {
    const moved = this.reassigned();
    const [owners, named] = [new Set(records), new Set(assets)];
    const isOfThese = ({ record, asset }: Place) => owners.has(record) || named.has(asset);
    const movedHere = [...moved.places()].filter(([, place]) => isOfThese(place)).map(([row]) => row);
    const condition = `kind = 'observation'
      AND (body ->> '$.record' IN ${SET} OR body ->> '$.asset' IN ${SET} OR id IN ${SET})`;
    return this.#select(condition, set(owners), set(named), set(movedHere))
      .map((stored) => liveSighting(stored, moved))
      .filter(({ body }) => isOfThese(body));
  }

  /** Live observations whose private values are gone, as those of a leaver are until their day. Reads the ledger through. */
  strippedSightings(): LiveRow<ObservationBody>[] {
    const moved = this.reassigned();
    return this.#select("kind = 'observation' AND private IS NULL")
      .map(opened(ObservationBody))
      .map(({ id, body }) => ({ id, body: moved.placed(id, body) }));
  }

  /** The decisions about these rows. */
  decisions(about: Iterable<number>): LiveDecision[] {
    const ids = set(about);
    return this.#database
      .prepare<[string, string, string, string], { id: number; kind: LiveDecision["kind"]; body: string }>(
        `SELECT id, kind, body FROM rows JOIN openings ON row = id
         WHERE kind IN ('naming', 'reassign', 'review', 'identity', 'status', 'recount')
           AND (body ->> '$.target' IN ${SET} OR body ->> '$.into' IN ${SET} OR body ->> '$.record' IN ${SET}
             OR body ->> '$.asset' IN ${SET})
         ORDER BY id`,
      )
      .all(ids, ids, ids, ids)
      .map(({ id, kind, body }) => ({ id, kind, about: subjects(kind, JSON.parse(body)) }));
  }

  /** The records that a live row is about: its own, its asset's, or those of the row that it decides about. */
  recordsAbout(row: number): number[] {
    const kind = this.find(row)?.kind;
    const [stored] = this.#select("id = ?", row);
    if (stored === undefined) return [];
    if (kind === "record") return [row];
    const body = About.parse(JSON.parse(stored.body));
    const record = kind === "observation" ? this.reassigned().recordOf(row, body.record) : body.record;
    const { target, into } = body;
    return [record, into, ...(typeof target === "number" ? this.recordsAbout(target) : [])].filter(
      (id) => typeof id === "number",
    );
  }

  /** Whether the last review of an observation rejected it. */
  isRejected(observation: number): boolean {
    const last = this.#database
      .prepare<[number], string>(
        `SELECT body ->> '$.decision' AS decision FROM rows JOIN openings ON row = id
         WHERE kind = 'review' AND body ->> '$.target' = ? AND decision IN ('verify', 'reject') ORDER BY id DESC LIMIT 1`,
      )
      .pluck();
    return last.get(observation) === "reject";
  }

  /** The principals of these observations, each once with its tag. */
  principalsOf(sightings: readonly LiveSighting[]): LivePrincipal[] {
    const known = this.#database
      .prepare<[number], string | null>(
        "SELECT private ->> '$.observer.principal' FROM openings WHERE row = ?",
      )
      .pluck();
    const byTag = new Map<string, string | null>();
    for (const { id, body } of sightings)
      byTag.set(body.observer_tag, byTag.get(body.observer_tag) ?? known.get(id) ?? null);
    return [...byTag].map(([tag, principal]) => ({ tag, principal }));
  }

  /** Later changes of what counts, in order. Reads the ledger through. */
  recounts(): LiveRow<RecountBody>[] {
    return this.#select("kind = 'recount'").map(opened(RecountBody));
  }

  /** The months (such as 2026-11) that have a tally, in order. Reads the ledger through. */
  talliedMonths(): string[] {
    return this.#select("kind = 'tally'").map((stored) => opened(TallyBody)(stored).body.month);
  }

  /** When a row was accepted, in ms. */
  acceptedAt(row: number): number | undefined {
    return this.#database
      .prepare<[number], number>("SELECT accepted_at FROM rows WHERE id = ?")
      .pluck()
      .get(row);
  }

  /** The private references of assets. */
  assetRefs(): Generator<AssetRef> {
    return assetRefs(this.#database);
  }

  /** The plans and results of all revisits, in order. */
  revisits(): LiveRow<RevisitBody>[] {
    return this.#select("kind = 'revisit'").map(opened(RevisitBody));
  }

  /** How many online checks these records have. */
  onlineChecks(records: Iterable<number>): number {
    const count = this.#database.prepare<[string], number>(
      `SELECT count(*) FROM online_checks WHERE record IN ${SET}`,
    );
    return count.pluck().get(set(records)) ?? 0;
  }

  #select(condition: string, ...values: (string | number)[]): Stored[] {
    return this.#database
      .prepare<(string | number)[], Stored>(
        `SELECT id, body, private FROM rows JOIN openings ON row = id WHERE ${condition} ORDER BY id`,
      )
      .all(...values);
  }
}

const SET = "(SELECT value FROM json_each(?))";

function set(ids: Iterable<number>): string {
  return JSON.stringify([...ids]);
}

function opened<T>(body: z.ZodType<T>): (stored: Stored) => LiveRow<T> {
  return (stored) => ({ id: stored.id, body: body.parse(JSON.parse(stored.body)) });
}

function liveSighting(stored: Stored, moved: Reassigned): LiveSighting {
  const { exact, seen } = Hidden.safeParse(JSON.parse(stored.private ?? "null")).data ?? {};
  const { id, body } = opened(ObservationBody)(stored);
  return { id, body: moved.placed(id, body), exact, seen };
}

function subjects(kind: LiveDecision["kind"], body: unknown): number[] {
  if (kind === "naming") return [NamingBody.parse(body).record];
  if (kind === "reassign") {
    const { target, record, asset } = ReassignBody.parse(body);
    return [target, record, asset];
  }
  if (kind === "identity") return [IdentityBody.parse(body).record];
  if (kind === "recount") return [RecountBody.parse(body).target];
  if (kind === "status") return [StatusBody.parse(body).record];
  const { target, into } = ReviewBody.parse(body);
  return into === null ? [target] : [target, into];
}
