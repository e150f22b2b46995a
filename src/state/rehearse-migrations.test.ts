import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { Secret } from "../kernel/secret.ts";
import { describeOnBoth, TestState } from "../testing/state/stores.ts";
import { openStateDatabase } from "./open-state.ts";
import { type MigrationRehearsal, rehearseMigrations } from "./rehearse-migrations.ts";
import { stateBytes, withScratchSchema } from "./scratch-schema.ts";

async function run({ url, home }: TestState, ...statements: readonly string[]): Promise<unknown[]> {
  const { db } = await openStateDatabase(url === undefined ? undefined : new Secret(url), home);
  try {
    const rows = [];
    for (const statement of statements) rows.push(...(await sql.raw(statement).execute(db)).rows);
    return rows;
  } finally {
    await db.destroy();
  }
}

/** Makes the state what the version before the last two migrations left. */
const TWO_BACK = [
  "DROP TABLE email_budgets",
  "DROP INDEX subscription_requests_mailbox",
  "DROP INDEX subscriptions_mailbox",
  "ALTER TABLE subscription_requests DROP COLUMN mailbox_key",
  "ALTER TABLE subscriptions DROP COLUMN mailbox_key",
  "DROP TABLE removals",
  "DELETE FROM kysely_migration WHERE name >= '008-removals'",
];

const DONE =
  "SELECT name FROM kysely_migration WHERE name IN ('007-demand', '008-removals', '009-mailboxes')";

/** As `presence upgrade check` does: a file is a copy already, a schema is copied here. */
function rehearse({ url, home }: TestState): Promise<MigrationRehearsal> {
  if (url === undefined) return rehearseMigrations(undefined, home);
  return withScratchSchema(new Secret(url), home, (scratch) => rehearseMigrations(scratch, home));
}

describeOnBoth("a rehearsal of migrations", (engine) => {
  test("runs what an earlier version lacks, and loses no row", async () => {
    await using test = await TestState.open(engine);
    const client = { contactEmail: null, portalAccess: false, dailyQuota: 1, monthlyQuota: 1 };
    await test.state.partners.createClient({ ...client, name: "One" });
    await run(test, ...TWO_BACK);
    const { migrations, changedTables } = await rehearse(test);
    expect(migrations.slice(0, 2)).toEqual(["008-removals", "009-mailboxes"]);
    expect([...changedTables]).toEqual([]);
    expect(await run(test, DONE)).toHaveLength(engine === "sqlite" ? 3 : 1); // on PostgreSQL the state itself is as it was
  });

  test("refuses a state of a newer version, and one of another key", async () => {
    await using test = await TestState.open(engine);
    await run(
      test,
      "INSERT INTO kysely_migration (name, timestamp) VALUES ('999-later', '2030-01-01T00:00:00Z')",
    );
    await expect(rehearse(test)).rejects.toThrow("999-later, which this program does not know");
    await run(
      test,
      "DELETE FROM kysely_migration WHERE name = '999-later'",
      "UPDATE store SET key_check = 'other'",
    );
    await expect(rehearse(test)).rejects.toThrow("is not the key that the state database was made with");
  });
});

const server = inject("postgresUrl");

test.skipIf(server === undefined)("leaves no schema, and names a user that may not make one", async () => {
  await using test = await TestState.open("postgres");
  const url = new URL(test.url ?? "");
  expect(await stateBytes(new Secret(url.href), test.home)).toBeGreaterThan(8192);
  await run(test, "CREATE SCHEMA presence_upgrade_check"); // left by a killed run
  await rehearse(test);
  const schemas = "SELECT 1 FROM pg_namespace WHERE nspname LIKE 'presence%'";
  expect(await run(test, schemas)).toEqual([]);
  url.username = `reader_${randomUUID().replaceAll("-", "")}`;
  await run(
    test,
    `CREATE ROLE ${url.username} LOGIN`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${url.username}`,
  );
  await expect(withScratchSchema(new Secret(url.href), test.home, () => Promise.resolve())).rejects.toThrow(
    "STATE_URL: its user may not make a schema",
  );
  await run(test, `DROP OWNED BY ${url.username}`, `DROP ROLE ${url.username}`);
});
