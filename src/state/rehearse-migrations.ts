import { sql } from "kysely";
import { OperatorError } from "../kernel/errors.ts";
import type { Secret } from "../kernel/secret.ts";
import { pendingMigrations } from "./migrations/migrate.ts";
import { openState, openStateDatabase, type StateHome, type StateOptions } from "./open-state.ts";
import type { Store } from "./store.ts";

export interface MigrationRehearsal {
  /** Migrations that were run, in order. */
  readonly migrations: readonly string[];
  /** Tables that have another number of rows than before: `[before, after]`, null for a table that is not there. */
  readonly changedTables: ReadonlyMap<string, readonly [number | null, number | null]>;
}

/**
 * Migrates a copy of the state, and checks that it is sound and belongs to the key in `home`. Throws OperatorError otherwise.
 * Never call it with a live state.
 */
export async function rehearseMigrations(
  url: Secret | undefined,
  home: StateHome,
  options: StateOptions = {},
): Promise<MigrationRehearsal> {
  const [migrations, before] = await withDatabase(url, home, async ({ db, engine }) => [
    await pendingMigrations(db, engine),
    await rowCounts({ db, engine }),
  ]);
  await (await openState(url, home, options)).close();
  const after = await withDatabase(url, home, async (database) => {
    await assertSound(database);
    return rowCounts(database);
  });
  return { migrations, changedTables: changed(before, after) };
}

type Database = Pick<Store, "db" | "engine">;

async function withDatabase<T>(
  url: Secret | undefined,
  home: StateHome,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openStateDatabase(url, home);
  try {
    return await work(database);
  } finally {
    await database.db.destroy();
  }
}

/** Names of the tables, those of the migrator left out. */
export async function stateTables({ db, engine }: Database): Promise<string[]> {
  const all =
    engine === "sqlite"
      ? sql<{
          name: string;
        }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
      : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`;
  const { rows } = await all.execute(db);
  return rows.map(({ name }) => name).sort();
}

async function rowCounts(database: Database): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of (await stateTables(database)).filter((name) => !name.startsWith("kysely_"))) {
    const counted = await sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql.table(table)}`.execute(
      database.db,
    );
    counts.set(table, counted.rows[0]?.rows ?? 0);
  }
  return counts;
}

async function assertSound({ db, engine }: Database): Promise<void> {
  if (engine === "postgres") return; // its pages have checksums of their own
  const { rows } = await sql<{ quick_check: string }>`PRAGMA quick_check(1)`.execute(db);
  const [first] = rows;
  if (first !== undefined && first.quick_check !== "ok")
    throw new OperatorError(`the migrated copy of the state is damaged: ${first.quick_check}`);
}

/** A new table counts only where it has rows already. */
function changed(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): MigrationRehearsal["changedTables"] {
  const tables = [...new Set([...before.keys(), ...after.keys()])];
  return new Map(
    tables
      .filter((table) => (before.get(table) ?? 0) !== (after.get(table) ?? 0) || !after.has(table))
      .map((table) => [table, [before.get(table) ?? null, after.get(table) ?? null]]),
  );
}
