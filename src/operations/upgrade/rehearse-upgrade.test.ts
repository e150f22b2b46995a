import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/files-below.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { homePaths } from "../../kernel/home.ts";
import { FORMAT_VERSION } from "../../ledger/database/schema.ts";
import { earlierVersions, placeEarlierHome } from "../../testing/earlier/earlier-home.ts";
import type { UpgradeOptions } from "./part.ts";
import { rehearseUpgrade, type UpgradeRehearsal } from "./rehearse-upgrade.ts";

/** The home of an earlier version, and a folder for the copies. */
class EarlierHome implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  readonly home = homePaths(join(this.#folder, "home"));
  readonly scratch = join(this.#folder, "scratch");

  constructor(version = "1.0.0") {
    mkdirSync(this.scratch);
    placeEarlierHome(version, this.home);
  }

  rehearse(change: Partial<UpgradeOptions> = {}): Promise<UpgradeRehearsal> {
    let milliseconds = 0;
    return rehearseUpgrade(this.home, {
      scratch: this.scratch,
      stateUrl: undefined,
      clock: () => Date.parse("2026-05-03T08:00:00Z"),
      elapsed: () => {
        milliseconds += 500;
        return milliseconds;
      },
      freeBytes: () => 1 << 30,
      say: () => undefined,
      ...change,
    });
  }

  /** Hashes of all files but those that SQLite makes for any reader. */
  contents(): Record<string, string> {
    const files = filesBelow(this.home.root).filter((path) => !/-(wal|shm)$/.test(path));
    return Object.fromEntries(
      files.map((path) => [relative(this.home.root, path), sha256Hex(readFileSync(path))]),
    );
  }

  change(database: "ledger" | "state", statement: string): void {
    const open = new Database(this.home[database]);
    open.exec(statement);
    open.close();
  }

  async refusal(change?: Partial<UpgradeOptions>): Promise<string> {
    const error: unknown = await this.rehearse(change).then(
      () => "rehearsed",
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(OperatorError);
    expect(readdirSync(this.scratch)).toEqual([]);
    return String(error).replaceAll(this.#folder, "FOLDER");
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}

describe.each(earlierVersions())("the home of version %s", (version) => {
  test("is rehearsed on copies, and stays as it is", async () => {
    using earlier = new EarlierHome(version);
    const before = earlier.contents();
    const { parts, scratch_needed_bytes } = await earlier.rehearse();
    expect(earlier.contents()).toEqual(before);
    expect(readdirSync(earlier.scratch)).toEqual([]);
    expect(scratch_needed_bytes).toBeGreaterThan(16 << 20);
    expect(parts.map(({ part }) => part)).toEqual(["ledger", "state", "release"]);
    expect(parts[0]?.seconds).toEqual({ copy: 0.5, migrate: 0.5, verify: 0.5 });
    for (const { not_rehearsed, bytes, part } of parts) {
      expect(not_rehearsed).toBeNull();
      if (part !== "release") expect(bytes?.after).toBeGreaterThanOrEqual(bytes?.before ?? 0);
    }
  });
});

test("what is done and what cannot be undone is said of each part", async () => {
  using earlier = new EarlierHome();
  const { parts } = await earlier.rehearse();
  const [ledger, state, release] = parts;
  expect(ledger?.changes).toEqual(
    expect.arrayContaining([
      `format 2 becomes ${FORMAT_VERSION}`,
      "the table sources is made",
      "the key keys/demo.manifest.json is made",
    ]),
  );
  expect(ledger?.going_back).toContain("only while this version has published no checkpoint");
  expect(state).toMatchObject({
    from: expect.stringContaining("migrations behind"),
    changes: expect.arrayContaining(["the migration 007-demand runs", "the migration 009-mailboxes runs"]),
    going_back: expect.stringContaining("restore the state of the backup"),
  });
  expect(release).toMatchObject({ from: "snapshot 7", changes: [expect.stringContaining("503")] });
});

test("a home without state and release has one part", async () => {
  using earlier = new EarlierHome();
  rmSync(earlier.home.state);
  rmSync(earlier.home.current);
  expect((await earlier.rehearse()).parts.map(({ part }) => part)).toEqual(["ledger"]);
});

describe("a rehearsal refuses", () => {
  test("too little space, and a folder that is none, before anything is copied", async () => {
    using earlier = new EarlierHome();
    expect(await earlier.refusal({ freeBytes: () => 1 << 20 })).toMatch(
      /FOLDER\/scratch: the copies need \d+ MiB, and 1 MiB are free: name a folder .* with --scratch/,
    );
    const missing = join(earlier.scratch, "missing");
    expect(await earlier.refusal({ scratch: missing })).toContain("not a folder that this user can write to");
    expect(existsSync(missing)).toBe(false);
  });

  test.each([
    ["another program's file", "ledger", "PRAGMA application_id = 7", /ledger.db: not a ledger file/],
    [
      "a ledger of a newer version",
      "ledger",
      "PRAGMA user_version = 99",
      /FOLDER\/home\/ledger.db: ledger format 99/,
    ],
    ["a changed row", "ledger", "UPDATE openings SET body = body || ' ' WHERE row = 2", /row 2/],
    [
      "a state of a newer version",
      "state",
      "INSERT INTO kysely_migration VALUES ('999-later', '2030')",
      /999-later/,
    ],
    [
      "a state of another key",
      "state",
      "UPDATE store SET key_check = 'x'",
      /FOLDER\/home\/keys\/state.key: .*not the key/,
    ],
  ] as const)("%s", async (_, database, statement, message) => {
    using earlier = new EarlierHome();
    earlier.change(database, statement);
    expect(await earlier.refusal()).toMatch(message);
  });

  test("a state that is no database", async () => {
    using earlier = new EarlierHome();
    writeFileSync(earlier.home.state, "no database, whatever its name says".repeat(200));
    expect(await earlier.refusal()).toMatch(/FOLDER\/home\/state.db is damaged/);
  });

  test("a ledger that is missing, no database, or behind its keys", async () => {
    using earlier = new EarlierHome();
    const ledger = readFileSync(earlier.home.ledger);
    writeFileSync(earlier.home.ledger, "no database, whatever its name says".repeat(200));
    expect(await earlier.refusal()).toMatch(
      /FOLDER\/home\/ledger.db is damaged: .* restore the newest backup/,
    );
    rmSync(earlier.home.ledger);
    expect(await earlier.refusal()).toContain("there is no ledger");
    writeFileSync(earlier.home.ledger, ledger, { mode: 0o600 });
    earlier.change("ledger", "DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)");
    expect(await earlier.refusal()).toContain("demo.head");
  });
});
