import { sql } from "kysely";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { Secret } from "../kernel/secret.ts";
import { openStateDatabase, type StateHome } from "./open-state.ts";
import { stateTables } from "./rehearse-migrations.ts";
import type { Store } from "./store.ts";

/** The database's user may not make a schema. */
export class NoScratchSchema extends OperatorError {}

/** A schema that no program of the service reads. */
const SCRATCH = "presence_upgrade_check";
const NOT_ALLOWED = "42501";

/**
 * Copies the tables of a state in PostgreSQL, as of one moment, into a schema of their own; `work` gets the address that leads
 * there. The schema is dropped afterwards, and so is one that a killed run left. Throws NoScratchSchema.
 */
export async function withScratchSchema<T>(
  url: Secret,
  home: StateHome,
  work: (scratch: Secret) => Promise<T>,
): Promise<T> {
  const database = await openStateDatabase(url, home);
  try {
    await copyTables(database);
    return await work(inSchema(url, SCRATCH));
  } finally {
    await sql`DROP SCHEMA IF EXISTS ${sql.id(SCRATCH)} CASCADE`.execute(database.db).catch(() => undefined);
    await database.db.destroy();
  }
}

/** Bytes of the tables with their indexes. */
export async function stateBytes(url: Secret, home: StateHome): Promise<number> {
  const { db } = await openStateDatabase(url, home);
  try {
    const { rows } = await sql<{ bytes: number }>`
      SELECT coalesce(sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)), 0)::bigint AS bytes
      FROM pg_tables WHERE schemaname = current_schema()`.execute(db);
    return rows[0]?.bytes ?? 0;
  } finally {
    await db.destroy();
  }
}

async function copyTables({ db, engine }: Pick<Store, "db" | "engine">): Promise<void> {
  const tables = await stateTables({ db, engine });
  try {
    await sql`DROP SCHEMA IF EXISTS ${sql.id(SCRATCH)} CASCADE`.execute(db);
    await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async (transaction) => {
        await sql`CREATE SCHEMA ${sql.id(SCRATCH)}`.execute(transaction);
        for (const table of tables) {
          const copy = sql.id(SCRATCH, table);
          await sql`CREATE TABLE ${copy} (LIKE ${sql.table(table)} INCLUDING ALL)`.execute(transaction);
          await sql`INSERT INTO ${copy} OVERRIDING SYSTEM VALUE SELECT * FROM ${sql.table(table)}`.execute(
            transaction,
          );
        }
      });
  } catch (cause) {
    if (!hasErrorCode(cause, NOT_ALLOWED)) throw cause;
    throw new NoScratchSchema(
      "STATE_URL: its user may not make a schema, so the migrations of the state cannot be rehearsed there: grant CREATE ON DATABASE for the time of the check, or check against a restored copy",
      { cause },
    );
  }
}

function inSchema(url: Secret, schema: string): Secret {
  const address = new URL(url.reveal());
  const options = [address.searchParams.get("options"), `-c search_path=${schema}`];
  address.searchParams.set("options", options.filter(Boolean).join(" "));
  return new Secret(address.href);
}
