import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { OperatorError } from "../../kernel/errors.ts";
import type { Engine } from "../engine.ts";
import type { StateTables } from "../tables.ts";
import { storeTables } from "./001-store.ts";
import { subscriptionTables } from "./002-subscriptions.ts";
import { deliveryTables } from "./003-deliveries.ts";
import { partnerTables } from "./004-partners.ts";
import { usageTables } from "./005-usage.ts";
import { reportTables } from "./006-reports.ts";
import { demandTables } from "./007-demand.ts";
import { removalTables } from "./008-removals.ts";
import { mailboxTables } from "./009-mailboxes.ts";
import { COLUMN_TYPES, type ColumnTypes } from "./column-types.ts";

/** In the order of their names. What was once published is never changed, and imports nothing that changes: append another. */
const MIGRATIONS: Readonly<Record<string, (types: ColumnTypes) => readonly string[]>> = {
  "001-store": storeTables,
  "002-subscriptions": subscriptionTables,
  "003-deliveries": deliveryTables,
  "004-partners": partnerTables,
  "005-usage": usageTables,
  "006-reports": reportTables,
  "007-demand": demandTables,
  "008-removals": removalTables,
  "009-mailboxes": mailboxTables,
};

/** Brings the database to this program's form, wholly or not at all. Throws OperatorError for one of a newer program. */
export async function migrate(db: Kysely<StateTables>, engine: Engine["name"]): Promise<void> {
  const { error } = await migratorOf(db, engine).migrateToLatest();
  if (error === undefined) return;
  const unknown = /previously executed migration (\S+) is missing/.exec(String(error))?.[1];
  if (unknown === undefined) throw error;
  throw new OperatorError(
    `the state database has the migration ${unknown}, which this program does not know: a newer version used it; run that one`,
    { cause: error },
  );
}

/** Names of the migrations that `migrate` would run, in order. */
export async function pendingMigrations(db: Kysely<StateTables>, engine: Engine["name"]): Promise<string[]> {
  const all = await migratorOf(db, engine).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

function migratorOf(db: Kysely<StateTables>, engine: Engine["name"]): Migrator {
  const types = COLUMN_TYPES[engine];
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, statements]) => [name, migration(statements(types))]),
  );
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}

function migration(statements: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
