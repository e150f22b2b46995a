/**
 * desk.db: who may review, their passkeys and sessions, who has which item, and decisions until they are written. It has no value of the ledger, only
 * codes and ids: those of groups, which may be made of names, until a lease ends or a decision is written. No other user opens it, and it is in no
 * backup: people enrol again.
 */
import type Database from "better-sqlite3";
import {
  assertStoreVersion,
  createDatabaseFile,
  type DatabaseKind,
  openDatabaseFile,
  type StoreFormat,
} from "../kernel/database-file.ts";
import { OperatorError } from "../kernel/errors.ts";
import { SECRET_MODE } from "../kernel/files/secret-file.ts";
import { AMONG, Sql } from "../kernel/sql.ts";
import { blob, integer, oneOf, serial, table, text } from "../kernel/table.ts";
import { DAY_MS } from "../kernel/time.ts";
import { DESK_ROLES, DeskDecision, type DeskResult, type DeskRole, OUTCOMES } from "./crossing.ts";

/** The application id is "PPDK". */
const KIND: DatabaseKind = { applicationId: 0x5050444b, name: "the database of a review desk" };
export const DESK_FORMAT: StoreFormat = {
  store: "desk",
  version: 1,
  oldest: 1,
  remedy: "delete the file, and enrol the reviewers again",
};

/** `waiting` can be undone; from `sending` on the ledger's user may have it. */
const STATES = ["waiting", "sending", "sent", ...OUTCOMES] as const;
export type DecisionState = (typeof STATES)[number];

export const DESK_TABLES = [
  table("people", {
    personal: { id: serial(), name: text().unique() },
    private: { role: oneOf(DESK_ROLES), addedAt: integer() },
  }),
  table("links", { hash: { token: text().primaryKey() }, private: { person: integer(), until: integer() } }),
  table("passkeys", {
    private: {
      id: text().primaryKey(),
      person: integer(),
      publicKey: blob(),
      counter: integer(),
      addedAt: integer(),
    },
  }),
  table("sessions", {
    hash: { token: text().primaryKey() },
    private: { person: integer(), startedAt: integer(), seenAt: integer() },
  }),
  table("leases", { private: { item: text().primaryKey(), session: text(), until: integer() } }),
  table("decisions", {
    private: {
      id: text().primaryKey(),
      person: integer(),
      subject: text(),
      state: oneOf(STATES),
      dueAt: integer(),
      decision: text(), // as JSON
      row: integer().nullable(),
    },
  }),
];

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: DeskRole;
}

export interface Passkey {
  readonly id: string; // base64url
  readonly person: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
}

export interface StoredDecision {
  readonly id: string;
  readonly person: number;
  readonly subject: string;
  readonly state: DecisionState;
  readonly dueAt: number; // ms
  readonly row: number | null;
}

/** Opens the desk's database, and makes it where there is none. */
export function openDeskStore(path: string): DeskStore {
  createDatabaseFile(path, KIND, SECRET_MODE);
  const database = openDatabaseFile(path, { kind: KIND });
  try {
    database.pragma("synchronous = FULL"); // a decision that was acknowledged survives a power cut
    database.pragma("secure_delete = ON");
    database
      .transaction(() => {
        const version = Number(database.pragma("user_version", { simple: true }));
        if (version !== 0) return assertStoreVersion(path, DESK_FORMAT, version);
        for (const { create } of DESK_TABLES) database.exec(create);
        database.pragma(`user_version = ${DESK_FORMAT.version}`);
      })
      .immediate();
    return new DeskStore(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

const KEPT_MS = 30 * DAY_MS;

/** Times are in ms. Secrets come in as hashes. */
export class DeskStore implements Disposable {
  readonly #db: Database.Database;
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#db = database;
    this.#sql = new Sql(database);
  }

  people(): (Person & { readonly passkeys: number; readonly lastSeen: number | null })[] {
    return this.#sql.all(
      `SELECT id, name, role, (SELECT count(*) FROM passkeys WHERE person = people.id) AS passkeys,
         (SELECT max(seen_at) FROM sessions WHERE person = people.id) AS lastSeen FROM people ORDER BY name`,
    );
  }

  /** Adds the person, or gives one who is there another role, and lets one more passkey be enrolled with the link. */
  invite(
    name: string,
    role: DeskRole,
    link: { readonly token: string; readonly until: number; readonly now: number },
  ) {
    this.#atOnce(() => {
      this.#sql.run(
        `INSERT INTO people (name, role, added_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET role = excluded.role`,
        name,
        role,
        link.now,
      );
      this.#sql.run(
        "DELETE FROM links WHERE until <= ? OR person = (SELECT id FROM people WHERE name = ?)",
        link.now,
        name,
      );
      this.#sql.run(
        "INSERT INTO links (token, person, until) SELECT ?, id, ? FROM people WHERE name = ?",
        link.token,
        link.until,
        name,
      );
    });
  }

  /** Whoever is removed is signed out; their decisions go on to the ledger. Throws OperatorError for an unknown name. */
  remove(name: string): void {
    this.#atOnce(() => {
      const person = this.#sql.value<number>("SELECT id FROM people WHERE name = ?", name);
      if (person === undefined)
        throw new OperatorError(`"${name}": nobody of that name reviews here: see \`presence desk people\``);
      this.#sql.run(
        "DELETE FROM leases WHERE session IN (SELECT token FROM sessions WHERE person = ?)",
        person,
      );
      for (const table of ["links", "passkeys", "sessions"])
        this.#sql.run(`DELETE FROM ${table} WHERE person = ?`, person);
      this.#sql.run("DELETE FROM people WHERE id = ?", person);
    });
  }

  personOfLink(token: string, now: number): Person | undefined {
    return this.#sql.get<Person>(
      "SELECT people.id, name, role FROM people JOIN links ON person = people.id WHERE token = ? AND until > ?",
      token,
      now,
    );
  }

  /** Uses the link up. False where another enrolment was faster. */
  enrol(token: string, passkey: Passkey, now: number): boolean {
    return this.#atOnce(() => {
      const used = this.#sql.run(
        "DELETE FROM links WHERE token = ? AND until > ? AND person = ?",
        token,
        now,
        passkey.person,
      );
      if (used === 0) return false;
      this.#sql.run(
        "INSERT INTO passkeys (id, person, public_key, counter, added_at) VALUES (?, ?, ?, ?, ?)",
        ...[passkey.id, passkey.person, Buffer.from(passkey.publicKey), passkey.counter, now],
      );
      return true;
    });
  }

  passkey(id: string): Passkey | undefined {
    return this.#sql.get<Passkey>(
      "SELECT id, person, public_key AS publicKey, counter FROM passkeys WHERE id = ?",
      id,
    );
  }

  passkeysOf(person: number): string[] {
    return this.#sql.column("SELECT id FROM passkeys WHERE person = ?", person);
  }

  startSession(
    token: string,
    { id, counter, person }: Pick<Passkey, "id" | "counter" | "person">,
    now: number,
  ): void {
    this.#atOnce(() => {
      this.#sql.run("UPDATE passkeys SET counter = ? WHERE id = ?", counter, id);
      this.#sql.run(
        "INSERT INTO sessions (token, person, started_at, seen_at) VALUES (?, ?, ?, ?)",
        ...[token, person, now, now],
      );
    });
  }

  /** Undefined once it was idle or lasted for too long. */
  personOfSession(token: string, startedAfter: number, seenAfter: number): Person | undefined {
    return this.#sql.get<Person>(
      `SELECT people.id, name, role FROM people JOIN sessions ON person = people.id
       WHERE token = ? AND started_at > ? AND seen_at > ?`,
      ...[token, startedAfter, seenAfter],
    );
  }

  seen(token: string, now: number): void {
    this.#sql.run("UPDATE sessions SET seen_at = ? WHERE token = ?", now, token);
  }

  endSession(token: string): void {
    this.#atOnce(() => {
      this.#sql.run("DELETE FROM leases WHERE session = ?", token);
      this.#sql.run("DELETE FROM sessions WHERE token = ?", token);
    });
  }

  /** What other sessions have. */
  leasedByOthers(session: string, now: number): Set<string> {
    return new Set(
      this.#sql.column<string>("SELECT item FROM leases WHERE session <> ? AND until > ?", session, now),
    );
  }

  /** All of them or none. */
  lease(
    session: string,
    items: readonly string[],
    { now, until }: { readonly now: number; readonly until: number },
  ): boolean {
    return this.#atOnce(() => {
      const taken = `SELECT 1 FROM leases WHERE item ${AMONG} AND session <> ? AND until > ?`;
      if (this.#sql.value(taken, items, session, now) !== undefined) return false;
      this.#sql.run(
        `INSERT INTO leases (item, session, until) SELECT value, ?, ? FROM json_each(?) WHERE TRUE
         ON CONFLICT (item) DO UPDATE SET session = excluded.session, until = excluded.until`,
        ...[session, until, items],
      );
      return true;
    });
  }

  /** Gives back all but these. */
  keepOnly(session: string, items: readonly string[]): void {
    this.#sql.run(`DELETE FROM leases WHERE session = ? AND NOT item ${AMONG}`, session, items);
  }

  /** False where the subject is decided about already. */
  decide(person: number, dueAt: number, decision: DeskDecision): boolean {
    const { id, subject } = decision;
    return this.#atOnce(() => {
      if (this.#sql.value(`SELECT 1 FROM decisions WHERE subject = ? AND state IN (${OPEN})`, subject))
        return false;
      this.#sql.run(
        "INSERT INTO decisions (id, person, subject, state, due_at, decision) VALUES (?, ?, ?, 'waiting', ?, ?)",
        ...[id, person, subject, dueAt, JSON.stringify(decision)],
      );
      return true;
    });
  }

  /** The subject that is open again; undefined when it is too late, or somebody else's. */
  undo(id: string, person: number): string | undefined {
    return this.#sql.get<{ subject: string }>(
      "DELETE FROM decisions WHERE id = ? AND person = ? AND state = 'waiting' RETURNING subject",
      ...[id, person],
    )?.subject;
  }

  /** Takes what can no longer be undone, what a kill left half sent, and what nobody answered for a day, in order. */
  due(now: number): DeskDecision[] {
    return this.#atOnce(() => {
      this.#sql.run(
        "UPDATE decisions SET state = 'sending' WHERE (state = 'waiting' AND due_at <= ?) OR (state = 'sent' AND due_at <= ?)",
        ...[now, now - DAY_MS],
      );
      const texts = this.#sql.column<string>(
        "SELECT decision FROM decisions WHERE state = 'sending' ORDER BY due_at, id LIMIT 200",
      );
      return texts.map((each) => DeskDecision.parse(JSON.parse(each)));
    });
  }

  sent(id: string, now: number): void {
    this.#sql.run(
      "UPDATE decisions SET state = 'sent', due_at = ? WHERE id = ? AND state = 'sending'",
      now,
      id,
    );
  }

  /** Notes what the ledger made of decisions, and forgets old ones. A group's key, which may be made of names, is not kept. */
  settle(results: readonly DeskResult[], now: number): void {
    this.#atOnce(() => {
      for (const { id, outcome, row } of results)
        this.#sql.run(
          `UPDATE decisions SET state = ?, row = ?, decision = '', subject = substr(subject, 1, instr(subject || ':', ':') - 1)
           WHERE id = ? AND state IN ('sending', 'sent')`,
          ...[outcome, row, id],
        );
      this.#sql.run(`DELETE FROM decisions WHERE due_at < ? AND state NOT IN (${OPEN})`, now - KEPT_MS);
      this.#sql.run("DELETE FROM leases WHERE until <= ?", now);
    });
    this.#db.pragma("wal_checkpoint(TRUNCATE)"); // the log has the keys, too
  }

  /** Subjects that are decided about and not written yet. */
  open(): Set<string> {
    return new Set(this.#sql.column<string>(`SELECT subject FROM decisions WHERE state IN (${OPEN})`));
  }

  /** The newest of a person first. */
  decisionsOf(person: number, limit: number): StoredDecision[] {
    return this.#sql.all<StoredDecision>(
      `SELECT id, person, subject, state, due_at AS dueAt, row FROM decisions WHERE person = ?
       ORDER BY due_at DESC, id LIMIT ?`,
      ...[person, limit],
    );
  }

  /** Drops sessions that ended by themselves. */
  sweep(startedBefore: number, seenBefore: number): void {
    this.#sql.run("DELETE FROM sessions WHERE started_at <= ? OR seen_at <= ?", startedBefore, seenBefore);
  }

  #atOnce<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

const OPEN = "'waiting', 'sending', 'sent'";
