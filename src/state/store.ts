import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery, type DeleteResult, type Kysely, sql, type UpdateResult } from "kysely";
import type { RandomBytes } from "../kernel/ids.ts";
import type { Columns, EngineName, NewRowOf } from "../kernel/table.ts";
import type { Clock } from "../kernel/time.ts";
import type { StateKeys } from "./state-key.ts";
import { STATE_TABLES, type StateTables } from "./tables.ts";

/** The database or one transaction in it, with the injected clock and randomness. */
export interface Store {
  readonly db: Kysely<StateTables>;
  readonly engine: EngineName;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly keys: StateKeys;
}

/** Runs in the caller's transaction if there is one, else in one of its own. An error takes back all that was written. */
export function inTransaction<S extends Pick<Store, "db">, T>(
  store: S,
  work: (store: S) => Promise<T>,
): Promise<T> {
  if (store.db.isTransaction) return work(store);
  return store.db.transaction().execute((db) => work({ ...store, db }));
}

/** Holds a named lock until the transaction ends. SQLite needs none: it has one writer at a time. */
export async function lockName({ db, engine }: Pick<Store, "db" | "engine">, name: string): Promise<void> {
  if (engine === "postgres")
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
}

/** Runs an update or a deletion; returns how many rows it met. */
export async function affected(statement: {
  executeTakeFirstOrThrow(): Promise<UpdateResult | DeleteResult>;
}): Promise<number> {
  const result = await statement.executeTakeFirstOrThrow();
  return Number("numDeletedRows" in result ? result.numDeletedRows : result.numUpdatedRows);
}

/** PostgreSQL takes 65,535 parameters in a statement. SQLite is fastest with short ones, which it has seen before. */
const MAX_PARAMETERS = { postgres: 30_000, sqlite: 900 };

export type NewRow<T extends keyof StateTables> = NewRowOf<(typeof STATE_TABLES)[T]["columns"]>;

/** Rows that break a unique constraint are left out, and not counted. */
export const SKIP_KNOWN = "on conflict do nothing";

/**
 * Inserts many rows, all with the same columns; returns how many. `onConflict` is the end of the statement. The query builder would take
 * several times as long as the database.
 */
export async function insertMany<T extends keyof StateTables>(
  { db, engine }: Pick<Store, "db" | "engine">,
  table: T,
  rows: readonly NewRow<T>[],
  onConflict = "",
): Promise<number> {
  const definition: Columns = STATE_TABLES[table].columns;
  const given = Object.entries(definition).filter(([property]) => property in (rows[0] ?? {}));
  const columns = given.map(([property, column]) => column.nameIn(property));
  const step = Math.floor(MAX_PARAMETERS[engine] / Math.max(1, columns.length));
  let inserted = 0;
  for (let start = 0; start < rows.length; start += step) {
    const chunk = rows.slice(start, start + step);
    const tuples = placeholders(engine, chunk.length, columns.length);
    const text = `insert into ${table} (${columns}) values ${tuples} ${onConflict}`;
    const values = chunk.flatMap((row: Readonly<Record<string, unknown>>) =>
      given.map(([property, column]) => column.encode(row[property])),
    );
    const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values));
    inserted += Number(numAffectedRows ?? 0);
  }
  return inserted;
}

function placeholders(engine: EngineName, rows: number, columns: number): string {
  if (engine === "sqlite")
    return Array(rows)
      .fill(`(${Array(columns).fill("?")})`)
      .join();
  const tuple = (row: number) => Array.from({ length: columns }, (_, at) => `$${row * columns + at + 1}`);
  return Array.from({ length: rows }, (_, row) => `(${tuple(row)})`).join();
}

/** Text from outside, made fit for both engines: PostgreSQL refuses the character NUL, and lone surrogates have no UTF-8. */
export function storedText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll("\0", "").toWellFormed();
}

/** What a deletion leaves behind in SQLite's files, and how it goes. */

const TRIES = 50;
const PAUSE_MS = 40;

/**
 * Moves the write-ahead log into the database and empties it: until then it holds every page as it was before the last changes,
 * with what they deleted. False while another process reads from it for two seconds on end; the next cut then takes it along.
 * PostgreSQL has no such file of ours: true.
 */
export async function cutLog({ db, engine }: Pick<Store, "db" | "engine">): Promise<boolean> {
  if (engine === "postgres") return true;
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await sleep(PAUSE_MS);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
  }
  return false;
}

/** The newest time that the service wrote into the state by itself: its creation, a matched release, a counted request (ms). */
export async function newestTime({ db }: Pick<Store, "db">): Promise<number> {
  const created = await db.selectFrom("store").select("created_at").executeTakeFirst();
  const matched = await db
    .selectFrom("publications")
    .select(({ fn }) => fn.max("matched_at").as("at"))
    .executeTakeFirst();
  const counted = await db
    .selectFrom("usage_counters")
    .select(({ fn }) => fn.max("latest_at").as("at"))
    .where("utc_day", "=", (counters) =>
      counters.selectFrom("usage_counters").select(({ fn }) => fn.max("utc_day").as("utc_day")),
    )
    .executeTakeFirst();
  // PostgreSQL returns a maximum of bigints as text.
  return Math.max(created?.created_at ?? 0, Number(matched?.at ?? 0), Number(counted?.at ?? 0));
}
