import type Database from "better-sqlite3";
import { z } from "zod";
import { AMONG, Sql } from "../../kernel/sql.ts";
import { inserter, type RowOf, type Selected, selection } from "../../kernel/table.ts";
import { observers, raisedItems, setAside, sources } from "../database/tables.ts";

const SOURCE = selection(sources.columns);
const OBSERVER = selection(observers.columns);
const SET_ASIDE = selection(setAside.columns);
const ITEM = selection(raisedItems.columns, "outcome");

/** A registered source. */
export type Source = Selected<typeof SOURCE>;
/** Observers are keyed hashes. */
export type KnownObserver = Selected<typeof OBSERVER>;

/** What an observer is called in a source that keeps names. */
export interface ObserverName {
  readonly source: string;
  readonly observer: string; // keyed hash
  readonly name: string;
}

/** `subject` is `record <row>`, or `name <key>` for all records of a name. */
export interface Affiliation {
  readonly principal: string;
  readonly subject: string;
}

/** A row that a check set aside. */
export type KnownSetAside = Selected<typeof SET_ASIDE>;
export type SetAsideRow = Omit<KnownSetAside, "wasEstablished">;
export type SetAsideReview = NonNullable<SetAsideRow["review"]>;

export type RaisedItem = Selected<typeof ITEM>;
export type ItemOutcome = NonNullable<RowOf<typeof raisedItems.columns>["outcome"]>;

/** What takes effect about a row when its day has come: it counts or not, it leaves the ledger, or it is a record to be named anew. */
export const DelayedChange = z.union([
  z.strictObject({ counts: z.boolean() }),
  z.strictObject({ naming: z.literal(true) }),
  z.strictObject({ erase: z.literal(true) }),
]);
export type DelayedChange = z.infer<typeof DelayedChange>;

export interface Delayed {
  readonly target: number;
  readonly change: DelayedChange;
  readonly due: number; // UTC day, ms
}

export interface Leaving {
  readonly rows: number;
  readonly lastDue: number | null;
}

/** Sources, observers and what is known of them. Writes go into a transaction of the ledger's writer. */
export class SourceStore {
  readonly #database: Database.Database;
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#sql = new Sql(database);
  }

  /** In the order of registration. */
  sources(): Source[] {
    return SOURCE.prepare(this.#database, "FROM sources ORDER BY row").all();
  }

  addSource(source: Source): void {
    inserter(this.#database, sources)(source);
  }

  setState(id: string, state: Source["state"]): void {
    this.#sql.run("UPDATE sources SET state = ? WHERE id = ?", state, id);
  }

  /** From now on; what was kept until then is forgotten by `forgetNames`. */
  setKeepsNames(id: string, keepsNames: boolean): void {
    this.#sql.run("UPDATE sources SET observer_names = ? WHERE id = ?", keepsNames ? 1 : 0, id);
  }

  /** Within the transaction of the line that has it. */
  putName({ source, observer, name }: ObserverName): void {
    this.#sql.run("INSERT OR REPLACE INTO observer_names VALUES (?, ?, ?)", source, observer, name);
  }

  /** All that are kept, in order. */
  names(): ObserverName[] {
    return this.#sql.all("SELECT source, observer, name FROM observer_names ORDER BY source, name");
  }

  /** Returns how many there were. `LedgerWriter.scrub` takes them from the file. */
  forgetNames(source: string): number {
    return this.#sql.run("DELETE FROM observer_names WHERE source = ?", source);
  }

  /** The same for single ones. */
  forgetName({ source, observer }: Pick<ObserverName, "source" | "observer">): void {
    this.#sql.run("DELETE FROM observer_names WHERE source = ? AND observer = ?", source, observer);
  }

  /** When each observer sent something last, by source; days are UTC (ms). */
  lastActive(): { readonly source: string; readonly observer: string; readonly lastDay: number }[] {
    return this.#sql.all(
      "SELECT source, observer, last_day AS lastDay FROM active_observers ORDER BY source, last_day DESC, observer",
    );
  }

  observers(): KnownObserver[] {
    return OBSERVER.prepare(this.#database, "FROM observers ORDER BY observer").all();
  }

  putObserver({ observer, principal, isSuspended, isVouched, enrolledIn }: KnownObserver): void {
    this.#sql.run(
      `INSERT INTO observers (observer, principal, suspended, vouched, source) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET principal = excluded.principal, suspended = excluded.suspended,
         vouched = excluded.vouched, source = excluded.source`,
      ...[observer, principal, isSuspended ? 1 : 0, isVouched ? 1 : 0, enrolledIn],
    );
  }

  /** How many observers of each source the operator vouched for; sources without one are left out. */
  vouchedObservers(): { readonly source: string; readonly observers: number }[] {
    return this.#sql.all(
      `SELECT source, count(*) AS observers FROM observers WHERE vouched = 1 AND source IS NOT NULL
       GROUP BY source ORDER BY source`,
    );
  }

  /** Forgets what is known of observers and principals. */
  forget(observers: readonly string[], principals: readonly string[]): void {
    for (const table of ["observers", "active_observers", "observer_names"])
      this.#sql.run(`DELETE FROM ${table} WHERE observer ${AMONG}`, observers);
    for (const table of ["standings", "affiliations"])
      this.#sql.run(`DELETE FROM ${table} WHERE principal ${AMONG}`, principals);
  }

  affiliations(): Affiliation[] {
    return this.#sql.all("SELECT principal, subject FROM affiliations ORDER BY principal, subject");
  }

  addAffiliation({ principal, subject }: Affiliation): void {
    this.#sql.run("INSERT OR IGNORE INTO affiliations VALUES (?, ?)", principal, subject);
  }

  removeAffiliation({ principal, subject }: Affiliation): void {
    this.#sql.run("DELETE FROM affiliations WHERE principal = ? AND subject = ?", principal, subject);
  }

  /** How many observers of each source were active on a UTC day (ms) or later. */
  activeObservers(since: number): Map<string, number> {
    const counted = this.#sql.all<{ source: string; observers: number }>(
      "SELECT source, count(*) AS observers FROM active_observers WHERE last_day >= ? GROUP BY source ORDER BY source",
      since,
    );
    return new Map(counted.map(({ source, observers }) => [source, observers]));
  }

  noteActive(source: string, observer: string, day: number): void {
    this.#sql.run(
      `INSERT INTO active_observers VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET last_day = max(last_day, excluded.last_day)`,
      ...[source, observer, day],
    );
  }

  /** Whether a row has a trace, a keyed hash. */
  hasTrace(key: Buffer): boolean {
    return this.#sql.value("SELECT row FROM seen_traces WHERE key = ?", key) !== undefined;
  }

  /** Remembers the first row with a trace. */
  addTrace(key: Buffer, row: number): void {
    this.#sql.run("INSERT OR IGNORE INTO seen_traces VALUES (?, ?)", key, row);
  }

  /** Principal -> UTC day (ms) since which it is established. */
  standings(): Map<string, number> {
    const text = "SELECT principal, since FROM standings ORDER BY principal";
    const stored = this.#sql.all<{ principal: string; since: number }>(text);
    return new Map(stored.map(({ principal, since }) => [principal, since]));
  }

  /** A principal stays established: an erasure of what it agreed with changes nothing for it. */
  establish(principal: string, since: number): void {
    this.#sql.run("INSERT OR IGNORE INTO standings VALUES (?, ?)", principal, since);
  }

  setAside(): Map<number, KnownSetAside> {
    const rows = SET_ASIDE.prepare(this.#database, "FROM set_aside ORDER BY row").all();
    return new Map(rows.map((each) => [each.row, each]));
  }

  /** Replaces what another check found before. `wasEstablished`: of a row that enters set aside. */
  putSetAside(row: number, check: string, day: number, wasEstablished = false): void {
    this.#sql.run(
      `INSERT INTO set_aside (row, check_code, day, established) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         check_code = excluded.check_code, day = excluded.day, review = NULL, reviewed_on = NULL`,
      ...[row, check, day, wasEstablished ? 1 : 0],
    );
  }

  reviewSetAside(row: number, review: SetAsideReview, day: number): void {
    this.#sql.run("UPDATE set_aside SET review = ?, reviewed_on = ? WHERE row = ?", review, day, row);
  }

  openItems(): RaisedItem[] {
    return ITEM.prepare(this.#database, "FROM raised_items WHERE outcome IS NULL ORDER BY day, key").all();
  }

  /** One that waits already keeps its day and gets the rows that it has grown by; one that was closed stays closed. */
  raise({ key, check, record, rows, day }: RaisedItem): void {
    this.#sql.run(
      `INSERT INTO raised_items (key, check_code, record, rows, day) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET rows = excluded.rows WHERE outcome IS NULL`,
      ...[key, check, record, rows, day],
    );
  }

  /** What was said of a raised item: null while it waits, undefined for an unknown one. */
  outcomeOf(key: string): ItemOutcome | null | undefined {
    return this.#sql.value("SELECT outcome FROM raised_items WHERE key = ?", key);
  }

  closeItem(key: string, outcome: ItemOutcome): void {
    this.#sql.run("UPDATE raised_items SET outcome = ? WHERE key = ?", outcome, key);
  }

  /** In the order of their targets. */
  delayed(upTo = Number.MAX_SAFE_INTEGER): Delayed[] {
    const text = "SELECT target, change, due FROM delayed_changes WHERE due <= ? ORDER BY target, change";
    return this.#sql
      .all<{ target: number; change: string; due: number }>(text, upTo)
      .map(({ change, ...each }) => ({ ...each, change: DelayedChange.parse(JSON.parse(change)) }));
  }

  /** Rows of those who left that wait to be erased, and the last day (UTC, ms) on which one of them is due; null where none waits. */
  leaving(): Leaving {
    const text =
      "SELECT count(*) AS rows, max(due) AS lastDue FROM delayed_changes WHERE change ->> '$.erase'";
    return this.#sql.get<Leaving>(text) ?? { rows: 0, lastDue: null };
  }

  delay({ target, change, due }: Delayed): void {
    const text = "INSERT OR IGNORE INTO delayed_changes VALUES (?, ?, ?)";
    this.#sql.run(text, target, JSON.stringify(change), due);
  }

  settle({ target, change }: Pick<Delayed, "target" | "change">): void {
    const text = "DELETE FROM delayed_changes WHERE target = ? AND change = ?";
    this.#sql.run(text, target, JSON.stringify(change));
  }

  /** Records and assets that are withdrawn, and rows that are undone: reviewers are asked nothing about them, and nothing waits for its day. */
  forgetItems(withdrawn: readonly number[], rows: readonly number[]): void {
    this.#sql.run(`DELETE FROM delayed_changes WHERE target ${AMONG}`, withdrawn);
    this.#forgetRaised(withdrawn, rows);
  }

  /** Items about these records, or about none but these rows. */
  #forgetRaised(records: readonly number[], rows: readonly number[]): void {
    this.#sql.run(
      `DELETE FROM raised_items WHERE record ${AMONG}
         OR (json_array_length(rows) > 0 AND NOT EXISTS (
           SELECT 1 FROM json_each(raised_items.rows) AS own WHERE own.value NOT ${AMONG}))`,
      ...[records, rows],
    );
  }

  /** Rows that are erased: nothing about them is kept. Within the erasure's transaction. */
  forgetRows(rows: readonly number[]): void {
    for (const table of ["set_aside", "seen_traces", "batch_rows"])
      this.#sql.run(`DELETE FROM ${table} WHERE row ${AMONG}`, rows);
    this.#sql.run(`DELETE FROM delayed_changes WHERE target ${AMONG}`, rows);
    this.#forgetRaised(rows, rows);
  }
}
