import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { LedgerKeys } from "../../contract/ledger/ledger.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { publishedKeyRing } from "../../ledger/keys/key-ring.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { lockReleases } from "../../operations/release.ts";
import { openState } from "../../state/open-state.ts";

let home: Home;

beforeEach(async () => {
  home = homePaths(mkdtempSync(join(tmpdir(), "key-command-")));
  await presence("init", "--environment", "demo", "--origin", "example.org/demo");
});

afterEach(() => rmSync(home.root, { recursive: true }));

const presence = (...args: string[]) => presenceAt(home, args);

function currentKey(): string {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  return reader.keyRing().current.vkey;
}

test("rotate without --yes says what it would do, and does nothing", async () => {
  const before = currentKey();
  await expect(presence("key", "rotate")).rejects.toThrow(
    /^key rotate: nothing was changed\. With --yes, a new key signs .* above 0 rows\. .*demo\.signing\.json.* Back up /,
  );
  expect(currentKey()).toBe(before);
});

test("rotate --yes makes a key, says which, and reminds of the backup", async () => {
  const before = currentKey();
  const { stdout, stderr } = await presence("key", "rotate", "--yes", "--json");
  expect(currentKey()).not.toBe(before);
  expect(JSON.parse(stdout)).toEqual({
    retired_key: before.split("+")[1],
    signing_key: currentKey().split("+")[1],
    vkey: currentKey(),
    signs_above: 0,
    key_file: join(home.keys, "demo.signing.json"),
  });
  expect(stderr).toContain(`back up ${home.keys} now`);
});

test("rotate waits for no build, it is refused beside one", async () => {
  const before = currentKey();
  const lock = lockReleases(home);
  await expect(presence("key", "rotate", "--yes")).rejects.toThrow("is building a release in");
  lock.release();
  expect(currentKey()).toBe(before);
});

test("list shows every key, for people and as keys.json has it", async () => {
  const first = currentKey();
  await presence("key", "rotate", "--yes", "--clock", "2026-05-01T12:00:00Z");
  const { stdout } = await presence("key", "list", "--json");
  const document = LedgerKeys.parse(JSON.parse(stdout));
  expect(document).toMatchObject({ origin: "example.org/demo", environment: "demo" });
  expect(
    publishedKeyRing(document)
      .all()
      .map(({ vkey }) => vkey),
  ).toEqual([first, currentKey()]);
  expect((await presence("key", "list")).stdout.split("\n")).toEqual([
    `${first}  above 0 up to 0, 1970-01-01T00:00:00Z to 2026-05-01T12:00:00Z`,
    `${currentKey()}  above 0, 2026-05-01T12:00:00Z in use`,
    expect.stringMatching(/^example\.org\/demo\/manifest\+.* {2}manifests, 1970-01-01T00:00:00Z in use$/),
    "",
  ]);
});

test("rotate --manifest and --state say what they would do, and replace only that key", async () => {
  const log = currentKey();
  await expect(presence("key", "rotate", "--manifest")).rejects.toThrow(
    /nothing was changed\. With --yes, a new key signs the manifest of every later release/,
  );
  await expect(presence("key", "rotate", "--state")).rejects.toThrow(
    /Links in emails .*rotate twice after a theft/,
  );
  await expect(presence("key", "rotate", "--state", "--manifest", "--yes")).rejects.toThrow("give one of");
  const { stdout } = await presence("key", "rotate", "--manifest", "--yes", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ vkey: expect.stringContaining("/manifest+") });
  await expect(presence("key", "rotate", "--state", "--yes")).rejects.toThrow("there is no state yet");
  await (await openState(undefined, home)).close();
  const before = readFileSync(home.stateKey, "utf8");
  const { stderr } = await presence("key", "rotate", "--state", "--yes", "--json");
  expect(stderr).toContain("restart `presence serve`");
  expect(readFileSync(home.stateKey, "utf8")).not.toBe(before);
  expect(currentKey()).toBe(log);
});
