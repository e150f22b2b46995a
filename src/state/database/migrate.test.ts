import { spawn } from "node:child_process";
import { once } from "node:events";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { ask } from "../../../tests/support/state/ask.ts";
import { describeOnBoth, TestState } from "../../../tests/support/state/stores.ts";
import { Secret } from "../../kernel/secret.ts";
import { openStateDatabase, versionInPostgres } from "../open-state.ts";
import { inTransaction } from "../store.ts";
import { type Migration, migrate } from "./migrate.ts";

const FIRST = "ALTER TABLE publications ADD COLUMN invented TEXT";
const SECOND = "UPDATE publications SET invented = 'done'";

/** Invented; `tables.ts` knows nothing of its column. */
const invented: Migration = async ({ db, engine }) => {
  await sql.raw(FIRST).execute(db);
  await sql.raw(SECOND).execute(db);
  await sql
    .raw(`CREATE TABLE invented (id ${engine === "sqlite" ? "INTEGER" : "BIGINT"} PRIMARY KEY)`)
    .execute(db);
};

const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that begins the migration, and is killed with -9 in the midst of it. */
async function killedMigration({ url, home }: TestState): Promise<void> {
  const database = url === undefined ? "undefined" : `new Secret(${JSON.stringify(url)})`;
  const program = `import { sql } from "kysely";
    import { Secret } from ${moduleAt("../../kernel/secret.ts")};
    import { migrate } from ${moduleAt("./migrate.ts")};
    import { openStateDatabase, versionInPostgres } from ${moduleAt("../open-state.ts")};
    import { inTransaction } from ${moduleAt("../store.ts")};
    const open = await openStateDatabase(${database}, ${JSON.stringify(home)});
    await inTransaction(open, (within) => migrate(within, "the state", [async ({ db }) => {
      await sql.raw(${JSON.stringify(FIRST)}).execute(db);
      await sql.raw(${JSON.stringify(SECOND)}).execute(db);
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => undefined);
    }]));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

async function migrated({ url, home }: TestState, migrations: readonly Migration[]): Promise<number> {
  const open = await openStateDatabase(url === undefined ? undefined : new Secret(url), home);
  try {
    return await inTransaction(open, (within) => migrate(within, "the state", migrations));
  } finally {
    await open.db.destroy();
  }
}

describeOnBoth("a state", (engine) => {
  test("whose migration is killed stays as it was, and the next opening finishes it", async () => {
    await using test = await TestState.open(engine);
    await ask(test, "INSERT INTO publications VALUES ('rel_1', 1, 0, 0, 0, 0)");
    await killedMigration(test);
    expect(await ask(test, "SELECT version FROM store")).toEqual([{ version: version(3) }]);
    expect(await ask(test, "SELECT * FROM publications")).not.toContainEqual(
      expect.objectContaining({ invented: "done" }),
    );
    await (await test.another()).close(); // this program goes on with it

    expect(await migrated(test, [invented])).toBe(4);
    expect(await migrated(test, [invented])).toBe(4);
    expect(await ask(test, "SELECT invented FROM publications")).toEqual([{ invented: "done" }]);
    expect(await ask(test, "SELECT id FROM invented")).toEqual([]);
    await expect(test.another()).rejects.toThrow(
      "the state was written by a newer version of presence (format 4; this one reads up to 3)",
    );
  });

  test("whose migration fails is taken back", async () => {
    await using test = await TestState.open(engine);
    const failing: Migration = async (open) => {
      await invented(open);
      throw new Error("invented");
    };
    await expect(migrated(test, [failing])).rejects.toThrow("invented");
    expect(await migrated(test, [invented, async () => undefined])).toBe(5);
  });

  test("of 1.x is refused as that", async () => {
    await using test = await TestState.open(engine);
    await ask(test, "CREATE TABLE kysely_migration (name TEXT PRIMARY KEY)");
    if (engine === "sqlite") await ask(test, "PRAGMA application_id = 0");
    await expect(test.another()).rejects.toThrow(
      /the state was written by presence 1\.x.*start over with an empty/,
    );
  });

  test.runIf(engine === "postgres")("can be asked for its version, and stays as it is", async () => {
    await using test = await TestState.unopened(engine);
    const url = new Secret(test.url ?? "");
    expect(await versionInPostgres(url, test.home)).toBe(undefined);
    await (await test.another()).close();
    expect(await versionInPostgres(url, test.home)).toBe(3);
    await ask(test, "UPDATE store SET version = 99");
    await expect(versionInPostgres(url, test.home)).rejects.toThrow(/STATE_URL: the state was .*format 99/);
  });

  const version = (value: number) => (engine === "sqlite" ? value : String(value)); // `ask` knows no bigint
});
