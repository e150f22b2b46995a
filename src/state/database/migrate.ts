import { sql } from "kysely";
import { assertStoreVersion, type StoreFormat, VERSION_OF_1X } from "../../kernel/database-file.ts";
import type { EngineName } from "../../kernel/table.ts";
import type { Store } from "../store.ts";
import { STATE_TABLES } from "../tables.ts";

/** The version of the state: how a new one gets its tables, and an older one those of this program. */

type Database = Pick<Store, "db" | "engine">;

/** Makes a state of one version one of the next, in the transaction that it is given. */
export type Migration = (database: Database) => Promise<void>;

/** The version of the tables in tables.ts. Older states are refused. */
const BASELINE = 3;
/** In order: the first one leads to the version after the baseline. What was published is never changed, and imports nothing that changes. */
const MIGRATIONS: readonly Migration[] = [];

const EMPTY_PLACE: Readonly<Record<EngineName, string>> = {
  sqlite: "an empty PRESENCE_HOME",
  postgres: "an empty database in STATE_URL",
};

/** What this program reads; `migrations` only in tests. */
export function stateFormat(engine: EngineName, migrations = MIGRATIONS): StoreFormat {
  return {
    store: "state",
    version: BASELINE + migrations.length,
    oldest: BASELINE,
    remedy: `continue with the version that wrote it, or start over with ${EMPTY_PLACE[engine]}`,
  };
}

/**
 * Makes the tables where there are none, or runs the migrations that are due. Returns the version reached. Call it in a transaction that holds
 * the lock of writers: whatever interrupts it leaves the state as it was. `where` names the state in an OtherStoreVersion.
 */
export async function migrate(
  { db, engine }: Database,
  where: string,
  migrations = MIGRATIONS,
): Promise<number> {
  const format = stateFormat(engine, migrations);
  const stored = await storedVersion({ db, engine });
  if (stored === undefined) for (const statement of baseline(engine)) await sql.raw(statement).execute(db);
  const version = stored ?? BASELINE;
  assertStoreVersion(where, format, version);
  for (const migration of migrations.slice(version - BASELINE)) await migration({ db, engine });
  if (version < format.version && stored !== undefined)
    await db.updateTable("store").set({ version: format.version }).execute();
  return format.version;
}

/** The statements that make every table. */
function baseline(engine: EngineName): string[] {
  return Object.values(STATE_TABLES).flatMap(({ create, createInPostgres, indexes }) => [
    engine === "sqlite" ? create : createInPostgres,
    ...indexes,
  ]);
}

/** The version that the state has; undefined for one without tables. */
export async function storedVersion({ db, engine }: Database): Promise<number | undefined> {
  const tables =
    engine === "sqlite"
      ? sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
      : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`;
  const names = (await tables.execute(db)).rows.map(({ name }) => name);
  if (names.includes("kysely_migration")) return VERSION_OF_1X;
  if (!names.includes("store")) return undefined;
  return (await db.selectFrom("store").select("version").executeTakeFirstOrThrow()).version;
}
