import type Database from "better-sqlite3";
import { z } from "zod";
import { AMONG, Sql } from "../../kernel/sql.ts";
import { type Merge, mergeOf, type Place, type Reassigned, reassignedIn } from "../decisions/merges.ts";
import { type AssetRef, assetRefs } from "../disclose.ts";
import { Seen } from "../sources/stored-observations.ts";
import { type Redaction, redactedRows, redactions } from "./redactions.ts";
import {
  AssetBody,
  NamingBody,
  ObservationBody,
  RecordBody,
  RecountBody,
  ReviewBody,
  RevisitBody,
  type RowKind,
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
  asset: z.int().optional(),
});

type Stored = { readonly id: number; readonly body: string; readonly private: string | null };

/** Queries over the rows that still have their values. Most read the ledger through; sets of ids go in as JSON. */
export class LiveRows {
  readonly #database: Database.Database;
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#sql = new Sql(database);
  }

  /** Whether a city has rows besides its own, or looks that wait for theirs. Reads the ledger through where it has none. */
  hasRowsOf(city: string): boolean {
    const found = this.#sql.value(
      `SELECT 1 FROM looks WHERE city = ? UNION ALL
       SELECT 1 FROM rows JOIN openings ON row = id WHERE kind <> 'city' AND body ->> '$.city' = ? LIMIT 1`,
      ...[city, city],
    );
    return found !== undefined;
  }

  /** How many live observations of a city have such a published cell. Reads the ledger through. */
  observationsIn(city: string, isWithin: (cell: string) => boolean): number {
    const text = `SELECT body ->> '$.h3_cell' AS cell, count(*) AS observations FROM rows JOIN openings ON row = id
       WHERE kind = 'observation' AND body ->> '$.city' = ? GROUP BY cell`;
    const counts = this.#sql.all<{ cell: string; observations: number }>(text, city);
    return counts.reduce((sum, { cell, observations }) => (isWithin(cell) ? sum + observations : sum), 0);
  }

  /** The last row up to `upTo`, erased or not, and its leaf hash in hexadecimal; row 0 without a hash when there is none. */
  last(upTo = Number.MAX_SAFE_INTEGER): { row: number; hash: string } {
    const last =
      "SELECT id AS row, lower(hex(leaf_hash)) AS hash FROM rows WHERE id <= ? ORDER BY id DESC LIMIT 1";
    return this.#sql.get(last, upTo) ?? { row: 0, hash: "" };
  }

  /** The kind of a row, and what erased it; undefined for a row that does not exist. */
  find(row: number): { kind: RowKind; isLive: boolean; erasedBy: Redaction | undefined } | undefined {
    const stored = this.#sql.get<{ kind: RowKind; live: number }>(
      "SELECT kind, openings.row IS NOT NULL AS live FROM rows LEFT JOIN openings ON openings.row = id WHERE id = ?",
      row,
    );
    if (stored === undefined) return undefined;
    const isLive = stored.live === 1;
    const erasedBy = isLive ? undefined : redactedRows(this.redactions()).get(row);
    return { kind: stored.kind, isLive, erasedBy };
  }

  /** The public content of a live row; undefined for one that is erased or was never there. */
  bodyOf(row: number): Readonly<Record<string, unknown>> | undefined {
    const body = this.#sql.value<string>("SELECT body FROM openings WHERE row = ?", row);
    return body === undefined ? undefined : JSON.parse(body);
  }

  redactions(): Redaction[] {
    return redactions(this.#database);
  }

  /** The record or asset row with a public id. */
  withPublicId(publicId: string): { id: number; kind: RowKind } | undefined {
    return this.#sql.get(
      "SELECT id, kind FROM rows JOIN openings ON row = id WHERE kind IN ('record', 'asset') AND body ->> '$.public_id' = ?",
      publicId,
    );
  }

  /** All that was ever decided of merges, in order, whether it is in effect or not. */
  merges(): LiveMerge[] {
    const decided = "kind = 'review' AND body ->> '$.decision' IN ('merge', 'unmerge')";
    return this.#select(decided).flatMap((stored) => {
      const { id, body } = opened(ReviewBody)(stored);
      const merge = mergeOf(id, body);
      return merge === undefined ? [] : [{ ...merge, body }];
    });
  }

  records(ids: Iterable<number>): LiveRow<RecordBody>[] {
    return this.#select(`kind = 'record' AND id ${AMONG}`, [...ids]).map(opened(RecordBody));
  }

  /** The namings of these records, in order. */
  namings(records: Iterable<number>): LiveRow<NamingBody>[] {
    const condition = `kind = 'naming' AND body ->> '$.record' ${AMONG}`;
    return this.#select(condition, [...records]).map(opened(NamingBody));
  }

  /** What reviewers moved. Reads the ledger through. */
  reassigned(): Reassigned {
    return reassignedIn(this.#database);
  }

  /** The assets of these records, and these assets. */
  assets(records: Iterable<number>, ids: Iterable<number>): LiveRow<AssetBody>[] {
    const moved = this.reassigned();
    const [owners, named] = [new Set(records), new Set(ids)];
    const condition = `kind = 'asset' AND (id ${AMONG} OR body ->> '$.record' ${AMONG} OR id ${AMONG})`;
    const movedOnes = [...moved.places().values()].map(({ asset }) => asset);
    return this.#select(condition, [...named], [...owners], movedOnes)
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
      AND (body ->> '$.record' ${AMONG} OR body ->> '$.asset' ${AMONG} OR id ${AMONG})`;
    return this.#select(condition, [...owners], [...named], movedHere)
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
    const ids = [...about];
    return this.#sql
      .all<{ id: number; kind: LiveDecision["kind"]; body: string }>(
        `SELECT id, kind, body FROM rows JOIN openings ON row = id
         WHERE kind IN ('naming', 'reassign', 'review', 'identity', 'status', 'recount')
           AND (body ->> '$.target' ${AMONG} OR body ->> '$.into' ${AMONG} OR body ->> '$.record' ${AMONG}
             OR body ->> '$.asset' ${AMONG})
         ORDER BY id`,
        ...[ids, ids, ids, ids],
      )
      .map(({ id, kind, body }) => ({ id, kind, about: subjects(About.parse(JSON.parse(body))) }));
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
    const last = this.#sql.value(
      `SELECT body ->> '$.decision' AS decision FROM rows JOIN openings ON row = id
       WHERE kind = 'review' AND body ->> '$.target' = ? AND decision IN ('verify', 'reject') ORDER BY id DESC LIMIT 1`,
      observation,
    );
    return last === "reject";
  }

  /** The principals of these observations, each once with its tag. */
  principalsOf(sightings: readonly LiveSighting[]): LivePrincipal[] {
    const known = "SELECT private ->> '$.observer.principal' FROM openings WHERE row = ?";
    const byTag = new Map<string, string | null>();
    for (const { id, body } of sightings)
      byTag.set(body.observer_tag, byTag.get(body.observer_tag) ?? this.#sql.value(known, id) ?? null);
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
    return this.#sql.value("SELECT accepted_at FROM rows WHERE id = ?", row);
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
    return this.#sql.value(`SELECT count(*) FROM online_checks WHERE record ${AMONG}`, [...records]) ?? 0;
  }

  #select(condition: string, ...values: (number | readonly number[])[]): Stored[] {
    return this.#sql.all(
      `SELECT id, body, private FROM rows JOIN openings ON row = id WHERE ${condition} ORDER BY id`,
      ...values,
    );
  }
}

function opened<T>(body: z.ZodType<T>): (stored: Stored) => LiveRow<T> {
  return (stored) => ({ id: stored.id, body: body.parse(JSON.parse(stored.body)) });
}

function liveSighting(stored: Stored, moved: Reassigned): LiveSighting {
  const { exact, seen } = Hidden.safeParse(JSON.parse(stored.private ?? "null")).data ?? {};
  const { id, body } = opened(ObservationBody)(stored);
  return { id, body: moved.placed(id, body), exact, seen };
}

function subjects({ target, into, record, asset }: z.infer<typeof About>): number[] {
  return [target, into, record, asset].filter((row) => typeof row === "number");
}
