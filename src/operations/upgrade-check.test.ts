import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { filesBelow } from "../kernel/files/durable-file.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { stateFormat } from "../state/database/migrate.ts";
import { openState } from "../state/open-state.ts";
import { checkUpgrade, type UpgradeOptions } from "./upgrade-check.ts";

let ledger: TestLedger;
let home: Home;
let scratch: string;

beforeEach(async () => {
  ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  home = homePaths(ledger.folder);
  await (await openState(undefined, home)).close();
  scratch = join(ledger.folder, "scratch");
  mkdirSync(scratch);
});

afterEach(() => ledger[Symbol.dispose]());

function check(change: Partial<UpgradeOptions> = {}) {
  return checkUpgrade(home, {
    scratch,
    stateUrl: undefined,
    clock: () => Date.parse("2026-05-03T08:00:00Z"),
    freeBytes: () => 1 << 30,
    say: () => undefined,
    ...change,
  });
}

/** Hashes of all files but those that SQLite makes for any reader. */
function contents(): Record<string, string> {
  const files = filesBelow(home.root).filter((path) => !/-(wal|shm)$/.test(path));
  return Object.fromEntries(files.map((path) => [relative(home.root, path), sha256Hex(readFileSync(path))]));
}

function change(database: "ledger" | "state", statement: string): void {
  const open = new Database(home[database]);
  open.exec(statement);
  open.close();
}

async function refusal(options?: Partial<UpgradeOptions>): Promise<string> {
  const error: unknown = await check(options).then(
    () => "it can go on",
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(OperatorError);
  expect(readdirSync(scratch)).toEqual([]);
  expect(String(error)).not.toContain("presence-upgrade-check-");
  return String(error).replaceAll(home.root, "HOME");
}

test("a home is tried on a copy, and stays as it is", async () => {
  const before = contents();
  const { rows, bytes, seconds, ledger, state } = await check();
  expect(contents()).toEqual(before);
  expect(readdirSync(scratch)).toEqual([]);
  const { version } = stateFormat("sqlite");
  expect(state).toEqual({ from: version, to: version, tried: true });
  expect(ledger.from).toBe(ledger.to);
  for (const figure of [ledger.to, rows, bytes.before, bytes.after]) expect(figure).toBeGreaterThan(0);
  expect(Object.keys(seconds)).toEqual(["copy", "open", "verify"]);
});

test("too little space, and a scratch folder that is none, are refused before anything is copied", async () => {
  expect(await refusal({ freeBytes: () => 1 << 20 })).toMatch(
    /HOME\/scratch: the copies need \d+ MiB, and 1 MiB are free: name a folder .* with --scratch/,
  );
  expect(await refusal({ scratch: join(scratch, "missing") })).toContain("not a folder that this user");
});

test.each([
  [
    "a ledger of a newer version",
    "ledger",
    "PRAGMA user_version = 99",
    /HOME\/night\/ledger.db: .*format 99/,
  ],
  ["a changed row", "ledger", "UPDATE openings SET body = body || ' ' WHERE row = 2", /row 2/],
  [
    "a state of a newer version",
    "state",
    "UPDATE store SET version = 99",
    /HOME\/state\/state.db: .*format 99/,
  ],
  [
    "a state of another key",
    "state",
    "UPDATE store SET key_check = 'x'",
    /HOME\/state\/state.key: this is not the key/,
  ],
] as const)("%s is refused", async (_, database, statement, message) => {
  change(database, statement);
  expect(await refusal()).toMatch(message);
});
