import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { readReview, writeReview } from "../../build/stages/held.ts";
import { homePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openState } from "../../state/open-state.ts";
import {
  BackupManifest,
  backupHome,
  copyKeys,
  readBackupManifest,
  writeBackupManifest,
} from "./backup-home.ts";
import { ownParts, PARTS, refuseHeldHome, restoreHome } from "./restore-home.ts";
import { fillFolder, makeFolder } from "./whole-folder.ts";

let ledger: TestLedger;
const at = (name: string) => join(ledger.folder, name);
const quiet = () => undefined;
const MADE_AT = Date.parse("2026-05-03T00:00:00Z");

beforeEach(async () => {
  ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  await (await openState(undefined, homePaths(ledger.folder))).close();
});

afterEach(() => ledger[Symbol.dispose]());

function backup(name: string, options: { withKeys?: boolean; stateIsElsewhere?: boolean } = {}) {
  const defaults = { stateIsElsewhere: false, withKeys: true, provedRows: 0 };
  const asked = { ...defaults, madeAt: MADE_AT, progress: quiet, ...options };
  const folder = { target: at(name), refusal: "it holds something", what: "testing" };
  return makeFolder(folder, (inside) => backupHome(homePaths(ledger.folder), inside, asked));
}

async function restore(from: string, to: string, options: { keys?: string; published?: string } = {}) {
  const manifest = readBackupManifest(at(from));
  const asked = {
    backup: at(from),
    manifest,
    keys: options.keys,
    published: options.published,
    progress: quiet,
  };
  const folder = { target: at(to), refusal: "it holds something", what: "testing" };
  await makeFolder(folder, (inside) => restoreHome(inside, asked));
  return homePaths(at(to));
}

/** After somebody has changed a file of a backup, the manifest that would go with it. */
async function listAgain(name: string, changes: Partial<BackupManifest> = {}): Promise<void> {
  const path = at(join(name, "backup.json"));
  const {
    files: _,
    backup_format: __,
    ...facts
  } = BackupManifest.parse(JSON.parse(readFileSync(path, "utf8")));
  rmSync(path);
  await writeBackupManifest(at(name), { ...facts, ...changes });
}

function treeSize(home: { ledger: string; keys: string }): number | undefined {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  return reader.latestCheckpoint()?.size;
}

describe("a backup", () => {
  test("has ledger, state and keys, each for its owner alone, and nothing else", async () => {
    const manifest = await backup("b");
    const names = Object.keys(manifest.files).sort();
    expect(names).toEqual([
      "night/keys/demo.head",
      "night/keys/demo.intake.json",
      "night/keys/demo.manifest.json",
      "night/keys/demo.signing.json",
      "night/keys/state.key",
      "night/ledger.db",
      "state/state.db",
    ]);
    for (const name of names)
      expect(statSync(at(`b/${name}`)).mode & 0o077, name).toBe(name.endsWith(".head") ? 0o044 : 0);
    expect(statSync(at("b")).mode & 0o777).toBe(0o700);
    expect(readdirSync(at("b")).sort()).toEqual(["backup.json", "night", "state"]);
    expect(manifest).toMatchObject({
      made_at: "2026-05-03T00:00:00Z",
      origin: "example.org/demo",
      state: "sqlite",
    });
    expect(manifest.tree_size).toBe(treeSize(homePaths(ledger.folder)));
    expect(existsSync(at("b.incomplete"))).toBe(false);
  });

  test("of a home of two users has the key of the state for its owner alone", async () => {
    const home = homePaths(ledger.folder);
    chmodSync(home.stateFolder, 0o2770);
    chmodSync(home.stateKey, 0o640);
    await backup("b");
    expect(statSync(at("b/night/keys/state.key")).mode & 0o777).toBe(0o600);
  });

  test("goes back as it was, and the log goes on from there", async () => {
    await backup("b");
    const home = await restore("b", "new");
    expect(readdirSync(home.root).sort()).toEqual(["night", "state"]);
    expect(treeSize(home)).toBe(treeSize(homePaths(ledger.folder)));
    expect(statSync(join(home.keys, "demo.signing.json")).mode & 0o777).toBe(0o600);
  });

  test("is one moment of the ledger, while a writer goes on", async () => {
    using writer = ledger.writer();
    const made = backup("b");
    for (let turn = 0; turn < 20; turn += 1) {
      ledger.appendAt(writer, "2026-05-02T12:00:00Z", 5);
      if (turn % 5 === 0) writer.seal({ now: true });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { rows } = await made;
    writer.close();
    const home = await restore("b", "new");
    using reader = openLedgerReader(home.ledger);
    expect(reader.head().lastRow).toBe(rows);
  });

  test("has a hold by hand, which goes on in the restored home", async () => {
    const hold = { since: "2026-05-02T00:00:00Z", note: "audit" };
    writeReview(homePaths(ledger.folder), { hold });
    await backup("b");
    expect(readReview(await restore("b", "new")).hold).toEqual(hold);
  });

  test("can leave the keys out, which come back from elsewhere", async () => {
    const { keys, files } = await backup("b", { withKeys: false });
    expect(keys).toBe(false);
    expect(Object.keys(files)).toContain("night/keys/demo.signing.json");
    expect(existsSync(at("b/night/keys"))).toBe(false);
    await expect(restore("b", "new")).rejects.toThrow(/has no keys.*--keys/);
    copyKeys(homePaths(ledger.folder), at("kept"));
    expect(treeSize(await restore("b", "new", { keys: at("kept") }))).toBeGreaterThan(0);
  });

  test("takes no notice of what a killed one left", async () => {
    mkdirSync(at("b.incomplete/folder/night/keys"), { recursive: true });
    writeFileSync(at("b.incomplete/folder/night/keys/demo.signing.json"), "half");
    await backup("b");
    expect(readdirSync(ledger.folder).filter((name) => name.startsWith("b"))).toEqual(["b"]);
    expect(treeSize(await restore("b", "new"))).toBeGreaterThan(0);
  });

  test("is made by one process at a time", async () => {
    const first = backup("b");
    await expect(backup("b")).rejects.toThrow(/another process .* is testing/);
    await first;
  });

  test("says that the state is elsewhere", async () => {
    const { state, files } = await backup("b", { stateIsElsewhere: true });
    expect(state).toBe("postgresql");
    expect(files).not.toHaveProperty("state/state.db");
  });

  test("is not made over something, nor of keys that do not belong", async () => {
    mkdirSync(at("b"));
    writeFileSync(at("b/notes"), "mine");
    await expect(backup("b")).rejects.toThrow(/\/b: it holds something/);
    expect(readFileSync(at("b/notes"), "utf8")).toBe("mine");
    writeFileSync(homePaths(ledger.folder).stateKey, `{"secret":"${Buffer.alloc(32).toString("base64")}"}`);
    await expect(backup("c")).rejects.toThrow(`${ledger.folder}/state/state.key: not the key`);
    expect(readdirSync(ledger.folder).filter((name) => name.startsWith("c"))).toEqual([]);
  });
});

describe("a backup that a restore would refuse is not made", () => {
  test("of a changed row, although the file is sound", async () => {
    const database = new Database(at("night/ledger.db"));
    database.exec("UPDATE openings SET body = replace(body, 'claimed', 'Claimed') WHERE row = 2");
    database.close();
    await expect(backup("b")).rejects.toThrow(
      new RegExp(`^${ledger.path}: row 2: its body or salt .*no backup was made`),
    );
    expect(existsSync(at("b"))).toBe(false);
  });

  test.each(["night/ledger.db", "state/state.db"])("of garbage in %s", async (name) => {
    const file = openSync(at(name), "r+");
    const size = fstatSync(file).size;
    writeSync(file, Buffer.alloc(size / 2, 255), 0, size / 2, size / 2);
    closeSync(file);
    await expect(backup("b")).rejects.toThrow(/no backup was made/);
    expect(existsSync(at("b"))).toBe(false);
  });

  test("of an erasure before its seal", async () => {
    {
      using writer = ledger.writer();
      writer.transaction(() =>
        writer.append({ kind: "redaction", body: { rows: [2] }, private: { reason: "safety" } }),
      );
      rawLedger(writer).exec("DELETE FROM openings WHERE row = 2");
    }
    await expect(backup("b")).rejects.toThrow(/an erasure, is not sealed yet.*presence seal/);
    {
      using writer = ledger.writer();
      writer.seal({ now: true });
    }
    await backup("b");
    expect(treeSize(await restore("b", "new"))).toBeGreaterThan(0);
  });
});

test("backup and restore each give the state another generation", async () => {
  await backup("b");
  const home = await restore("b", "new");
  const generations = [at("state/state.db"), at("b/state/state.db"), home.state].map((path) => {
    const database = new Database(path, { readonly: true });
    const generation = database.pragma("user_version", { simple: true });
    database.close();
    return generation;
  });
  expect(new Set([0, ...generations]).size).toBe(4);
});

describe("a home that somebody holds", () => {
  test("is named before a restore begins, and free again afterwards", async () => {
    const home = homePaths(ledger.folder);
    refuseHeldHome(home, PARTS, "none");
    const state = await openState(undefined, home);
    expect(() => refuseHeldHome(home, PARTS, "none")).toThrow(
      /state\.db: another process has it open: stop the server/,
    );
    await state.close();
    using reader = ledger.reader();
    expect(() => refuseHeldHome(home, PARTS, "none")).toThrow(/ledger\.db: another process has it open/);
    refuseHeldHome(home, ["state"], "none");
    reader.close();
    refuseHeldHome(home, PARTS, "none");
    writeFileSync(at("state/state.db"), "no database");
    refuseHeldHome(home, PARTS, "none");
  });

  test("is noticed by its deleted files, where the system names them", () => {
    const home = homePaths(at("gone"));
    mkdirSync(at("proc/77/fd"), { recursive: true });
    mkdirSync(at("proc/self"));
    symlinkSync(`${home.state} (deleted)`, at("proc/77/fd/21"));
    symlinkSync("socket:[1]", at("proc/77/fd/3"));
    mkdirSync(at("proc/78"));
    expect(() => refuseHeldHome(home, PARTS, at("proc"))).toThrow(
      /gone\/state\/state\.db: process 77 has it open/,
    );
    refuseHeldHome(homePaths(at("other")), PARTS, at("proc"));
  });
});

describe("a restore refuses", () => {
  test("a folder that holds something, and one that is no backup", async () => {
    await backup("b");
    await expect(restore("b", "night")).rejects.toThrow(/night: it holds something/);
    await expect(restore("night", "new")).rejects.toThrow(/no backup/);
  });

  test.each(["night/ledger.db", "state/state.db", "night/keys/demo.head"])(
    "a changed or missing %s",
    async (name) => {
      await backup("b");
      const bytes = readFileSync(at(`b/${name}`));
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(at(`b/${name}`), bytes);
      await expect(restore("b", "new")).rejects.toThrow(
        `${name}: it differs from the file that was backed up`,
      );
      rmSync(at(`b/${name}`));
      await expect(restore("b", "new")).rejects.toThrow(`${name}: missing`);
      expect(existsSync(at("new"))).toBe(false);
    },
  );

  test("a name that leads out of the folder", async () => {
    await backup("b");
    const path = at("b/backup.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"night/ledger.db"', '"../ledger.db"'));
    await expect(restore("b", "new")).rejects.toThrow(/not the manifest of a backup/);
  });

  test("a row that was changed, although the manifest was made to fit", async () => {
    await backup("b");
    const database = new Database(at("b/night/ledger.db"));
    database.exec("UPDATE openings SET body = body || ' ' WHERE row = 2");
    database.close();
    await listAgain("b");
    await expect(restore("b", "new")).rejects.toThrow(/row 2/);
  });

  test("what a newer version made: format, ledger, state", async () => {
    await backup("b");
    cpSync(at("b"), at("ledger"), { recursive: true });
    await listAgain("ledger", { ledger_format: 99 });
    await expect(restore("ledger", "new")).rejects.toThrow(/newer version.*format 99/);

    cpSync(at("b"), at("other"), { recursive: true });
    const database = new Database(at("other/state/state.db"));
    database.exec("UPDATE store SET version = 99");
    database.close();
    await listAgain("other");
    await expect(restore("other", "new")).rejects.toThrow(
      /the state was written by a newer version.*format 99/,
    );

    const path = at("b/backup.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"backup_format": 1', '"backup_format": 2'));
    await expect(restore("b", "new")).rejects.toThrow(/backup was written by a newer version .*format 2/);
    writeFileSync(path, readFileSync(path, "utf8").replace('"backup_format": 2', '"format": 1'));
    await expect(restore("b", "new")).rejects.toThrow(/backup was written by presence 1\.x/);
    expect(readdirSync(ledger.folder).filter((name) => name.startsWith("new"))).toEqual([]);
  });

  test("an older copy than what was published, and another history", async () => {
    const { signed_head } = await backup("b");
    expect(treeSize(await restore("b", "same", { published: signed_head ?? "" }))).toBeGreaterThan(0);
    ledger.sealAt("2026-05-02T12:00:00Z");
    const { signed_head: later } = await backup("later");
    await expect(restore("b", "new", { published: later ?? "" })).rejects.toThrow(/restore a newer backup/);
    await expect(restore("b", "new", { keys: ledger.keysDir })).rejects.toThrow(
      `${at("new")}/night/keys/demo.head: a head of`,
    );
    await expect(restore("b", "new", { published: "nothing" })).rejects.toThrow(/--published/);

    using other = new TestLedger();
    using writer = other.writer();
    other.appendAt(writer, "2026-05-01T12:00:00Z", 2);
    writer.seal({ now: true });
    using reader = other.reader();
    const foreign = reader.latestCheckpoint()?.note ?? "";
    await expect(restore("later", "new", { published: foreign })).rejects.toThrow(
      /belongs to another copy of this ledger/,
    );
  });

  test("no keys that others can read, for it makes them private", async () => {
    await backup("b");
    for (const name of readdirSync(at("b/night/keys"))) chmodSync(at(`b/night/keys/${name}`), 0o644);
    expect(treeSize(await restore("b", "new"))).toBeGreaterThan(0);
  });

  test("a link in the place of a file or folder, and keys that are not those of the backup", async () => {
    await backup("b");
    writeFileSync(at("secret"), readFileSync(at("b/night/keys/demo.intake.json")));
    rmSync(at("b/night/keys/demo.intake.json"));
    symlinkSync(at("secret"), at("b/night/keys/demo.intake.json"));
    await expect(restore("b", "new")).rejects.toThrow(/demo\.intake\.json: a link/);
    renameSync(at("b/night/keys"), at("kept"));
    symlinkSync(at("kept"), at("b/night/keys"));
    await expect(restore("b", "new")).rejects.toThrow(/night\/keys: a link/);
    await expect(restore("b", "new", { keys: at("kept") })).rejects.toThrow(/demo\.intake\.json: a link/);
    rmSync(at("kept/demo.intake.json"));
    writeFileSync(at("kept/demo.intake.json"), "{}");
    await expect(restore("b", "new", { keys: at("kept") })).rejects.toThrow(/demo\.intake\.json: it differs/);
    renameSync(at("secret"), at("kept/demo.intake.json"));
    linkSync(at("night/ledger.db"), at("kept/demo.head.head"));
    await expect(restore("b", "new", { keys: at("kept") })).rejects.toThrow(
      /demo\.head\.head: it has another name/,
    );
    rmSync(at("kept/demo.head.head"));
    writeFileSync(at("kept/x.json"), "not listed");
    const home = await restore("b", "new", { keys: at("kept") });
    expect(readdirSync(home.keys)).not.toContain("x.json");
  });

  test("no part of a home of two users: each restores its own, from what the first one leaves for the second", async () => {
    await backup("b");
    for (const part of ["night", "state"] as const) {
      mkdirSync(at(`two/${part}`), { recursive: true });
      chmodSync(at(`two/${part}`), part === "state" ? 0o2770 : 0o755);
      const from = part === "night" ? at("b") : at("two/night/state-to-restore");
      const asked = {
        backup: from,
        manifest: readBackupManifest(from),
        keys: undefined,
        published: undefined,
        progress: quiet,
      };
      const folder = { target: at(`two/${part}`), refusal: "it holds something", what: "testing" };
      await fillFolder(folder, (inside) => restoreHome(inside, { ...asked, parts: [part], isShared: true }));
      expect(ownParts(at("two"), { uid: process.getuid?.() ?? 0, accountOf: () => undefined })).toEqual(
        ["night", "state"].slice(0, part === "night" ? 1 : 2),
      );
    }
    const home = homePaths(at("two"));
    expect(treeSize(home)).toBeGreaterThan(0);
    expect(readdirSync(home.stateFolder).sort()).toEqual(["state.db", "state.key"]);
    expect(statSync(home.state).mode & 0o777).toBe(0o660);
    await (await openState(undefined, home)).close();
    expect(readdirSync(home.night)).not.toContain(".incomplete");
  });
});
