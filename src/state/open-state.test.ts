import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ask } from "../../tests/support/state/ask.ts";
import { describeOnBoth, TestState } from "../../tests/support/state/stores.ts";
import { OperatorError } from "../kernel/errors.ts";
import { Secret } from "../kernel/secret.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { linkToken, readLinkToken } from "./delivery/subscriptions.ts";
import { openState } from "./open-state.ts";
import { readStateKey, rotatedKeyFile } from "./state-key.ts";
import { STATE_TABLES } from "./tables.ts";

describe("open state", () => {
  const COLUMNS = {
    sqlite: `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    postgres: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`,
  };

  describeOnBoth("a state", (engine) => {
    test("has the columns that are marked, and no others", async () => {
      await using test = await TestState.open(engine);
      const marked = Object.values(STATE_TABLES).flatMap(({ name, names }) =>
        names.map((column_name) => ({ table_name: name, column_name })),
      );
      const real = await ask(test, COLUMNS[engine]);
      expect(new Set(real.map((row) => JSON.stringify(row)))).toEqual(
        new Set(marked.map((row) => JSON.stringify(row))),
      );
    });

    test("is opened by many at once when it is new, and they share one key", async () => {
      await using test = await TestState.open(engine);
      await using fresh = await TestState.unopened(engine);
      const states = await Promise.all([1, 2, 3, 4].map(() => fresh.another()));
      const tokens = states.map(({ subscriptions }) => subscriptions.linkToken("manage", "sub_1"));
      expect(new Set(tokens).size).toBe(1);
      expect(test.state.subscriptions.linkToken("manage", "sub_1")).not.toBe(tokens[0]);
      for (const state of states) await state.close();
    });

    test.runIf(engine === "sqlite" && existsSync("/proc/locks"))(
      "opened once more in the same process keeps its locks",
      async () => {
        await using test = await TestState.open(engine);
        await using another = await test.another();
        expect(another).toBeDefined();
        const held = readFileSync("/proc/locks", "utf8")
          .split("\n")
          .map((line) => line.trim().split(/\s+/))
          .filter((fields) => fields[4] === String(process.pid));
        const file = String(statSync(test.home.state).ino);
        expect(held.some((fields) => fields[5]?.split(":")[2] === file)).toBe(true);
      },
    );

    test("keeps what was written, and closes by itself", async () => {
      await using test = await TestState.open(engine);
      const client = {
        name: "Client",
        contactEmail: null,
        portalAccess: false,
        dailyQuota: 1,
        monthlyQuota: 1,
      };
      const made = await test.state.partners.createClient(client);
      {
        await using again = await test.another();
        expect(await again.partners.listClients()).toEqual([made]);
      }
      expect(statSync(test.home.stateKey).mode & 0o777).toBe(0o600);
    });

    test("is refused with another key, a missing one, a damaged one, one that others may read", async () => {
      await using test = await TestState.open(engine);
      await using stranger = await TestState.open("sqlite");
      const path = test.home.stateKey;
      const right = readFileSync(path, "utf8");
      const other = readFileSync(stranger.home.stateKey, "utf8");
      const refusal = async (change: () => void) => {
        change();
        const error = await test.another().then(
          () => "opened",
          (cause: unknown) => cause,
        );
        expect(error).toBeInstanceOf(OperatorError);
        return String(error);
      };
      expect(await refusal(() => writeFileSync(path, other))).toContain(
        "is not the key that the state database was made with",
      );
      expect(await refusal(() => writeFileSync(path, "{}"))).toContain("damaged");
      expect(await refusal(() => chmodSync(path, 0o644))).toContain("chmod 600");
      expect(await refusal(() => rmSync(path))).toContain("missing");
      writeFileSync(path, right, { mode: 0o600 });
      await using opened = await test.another();
      expect(await opened.outbox.list()).toEqual([]);
    });

    test("takes back a transaction that failed", async () => {
      await using test = await TestState.open(engine);
      const client = { contactEmail: null, portalAccess: false, dailyQuota: 1, monthlyQuota: 1 };
      const failing = test.state.transaction(async ({ partners }) => {
        await partners.createClient({ ...client, name: "One" });
        await partners.createClient({ ...client, name: "One" });
      });
      await expect(failing).rejects.toThrow(OperatorError);
      expect(await test.state.partners.listClients()).toEqual([]);
      const { publicId } = await test.state.transaction(({ partners }) =>
        partners.createClient({ ...client, name: "One" }),
      );
      expect((await test.state.partners.client(publicId))?.name).toBe("One");
    });
  });

  test("the file is for its owner alone, and its tables are strict", async () => {
    await using test = await TestState.open("sqlite");
    await test.state.outbox.enqueue([{ key: "a", kind: "mail", target: "sub_1", payload: "{}" }]);
    for (const ending of ["", "-wal", "-shm"])
      expect(statSync(test.home.state + ending).mode & 0o777, ending).toBe(0o600);
    const lax = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'`;
    expect(await ask(test, lax)).toEqual([]);
  });

  test("what is no database is refused with its name, and a password is not told", async () => {
    await using test = await TestState.unopened("sqlite");
    mkdirSync(test.home.stateFolder);
    writeFileSync(test.home.state, "not a database, and long enough to be looked at: ".repeat(40));
    await expect(test.another()).rejects.toThrow(
      /state\.db: the database is damaged \(file is not a database\)/,
    );
    const url = "postgres://presence:geheim@127.0.0.1:1/presence";
    const error = await openState(new Secret(url), test.home).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toMatch(/STATE_URL: PostgreSQL at 127\.0\.0\.1:1 cannot be opened: .*ECONNREFUSED/);
    expect(String(error)).not.toContain("geheim");
  });
});

describe("rotate state key", () => {
  describeOnBoth("a rotation of the state's key", (engine) => {
    test("keeps links of before until the next one, and the hashes of addresses for good", async () => {
      await using it = await TestState.open(engine);
      const first = readStateKey(it.home);
      const token = linkToken(first, "unsubscribe", "sub_1");
      expect(first.previousKey("unsubscribe")).toBeUndefined();
      await it.state.rotateKey();
      const second = readStateKey(it.home);
      expect(second.purposeKey("unsubscribe")).not.toEqual(first.purposeKey("unsubscribe"));
      expect(linkToken(second, "unsubscribe", "sub_1")).not.toBe(token);
      expect(readLinkToken(second, "unsubscribe", token)).toBe("sub_1");
      expect(readLinkToken(second, "manage", token)).toBeUndefined();
      expect(second.purposeKey("address")).toEqual(first.purposeKey("address"));
      await it.state.rotateKey();
      const third = readStateKey(it.home);
      expect(readLinkToken(third, "unsubscribe", token)).toBeUndefined();
      expect(third.purposeKey("address")).toEqual(first.purposeKey("address"));
    });

    test("is completed by the next process that opens the state", async () => {
      await using it = await TestState.open(engine);
      const { text } = rotatedKeyFile(it.home, seededBytes("killed"));
      writeFileSync(it.home.stateKey, text, { mode: 0o600 }); // and killed before the database followed
      await (await it.another()).close();
      // By now the database names the new key: a file that names it as the previous one still opens, an older one does not.
      writeFileSync(it.home.stateKey, rotatedKeyFile(it.home, seededBytes("again")).text, { mode: 0o600 });
      await (await it.another()).close();
      writeFileSync(it.home.stateKey, text, { mode: 0o600 });
      await expect(it.another()).rejects.toThrow("this is not the key that the state database was made with");
    });

    test("signs deliveries with the secrets of both keys", async () => {
      await using it = await TestState.open(engine);
      const webhook = { publicId: "wh_1", rotation: 1, previousValidUntil: null };
      const secrets = async () => {
        await using again = await it.another();
        return again.webhooks.signingSecrets(webhook);
      };
      const [known] = await secrets();
      await it.state.rotateKey();
      const after = await secrets();
      expect(after).toHaveLength(2);
      expect(after.at(-1)).toBe(known);
    });
  });

  test("in a folder that its group may write, key and database are the group's, and nobody else's", async () => {
    await using it = await TestState.unopened("sqlite");
    const { home } = it;
    mkdirSync(home.stateFolder);
    chmodSync(home.stateFolder, 0o2770);
    const state = await openState(undefined, home);
    await state.rotateKey();
    await state.close();
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([mode(home.state), mode(home.stateKey)]).toEqual(["660", "640"]);
    expect(readFileSync(home.stateKey, "utf8")).toContain('"previous"');
    await (await openState(undefined, home)).close();
  });
});
