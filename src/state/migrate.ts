/** How a state gets its tables, and an older one those of this program. */

import { sql } from "kysely";
import { assertStoreVersion, VERSION_OF_1X } from "../kernel/store-version.ts";
import { BASELINE, MIGRATIONS, stateFormat } from "./format.ts";
import { baseline } from "./schema/baseline.ts";
import { COLUMN_TYPES } from "./schema/column-types.ts";
import type { Store } from "./store.ts";

type Database = Pick<Store, "db" | "engine">;

/**
 * Makes the tables where there are none, or runs the migrations that are due. Returns the version reached. Call it in a transaction that holds
 * the lock of writers: whatever interrupts it leaves the state as it was. `where` names the state in an OtherStoreVersion.
 */
export async function migrate(
  { db, engine }: Database,
  where: string,
  migrations = MIGRATIONS,
): Promise<number> {
  const [format, types] = [stateFormat(engine, migrations), COLUMN_TYPES[engine]];
  const stored = await storedVersion({ db, engine });
  if (stored === undefined) for (const statement of baseline(types)) await sql.raw(statement).execute(db);
  const version = stored ?? BASELINE;
  assertStoreVersion(where, format, version);
  for (const migration of migrations.slice(version - BASELINE)) await migration(db, types);
  if (version < format.version && stored !== undefined)
    await db.updateTable("store").set({ version: format.version }).execute();
  return format.version;
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
