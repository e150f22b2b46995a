import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { hashOfFile } from "../../src/build/stages/manifest.ts";
import { ReleaseChanges } from "../../src/contract/service/exports.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { readBackupManifest } from "../../src/operations/backup/backup-home.ts";
import { Operator } from "../support/operations/operator.ts";
import { endGroup } from "../support/operations/presence-process.ts";
import { releaseHashes } from "../support/release/whole-release.ts";
import { SmallDisk } from "../support/servers/small-disk.ts";
import { foundTown, ndjson, observedTown, TOWN_SLUG, townObservations } from "../support/towns/town.ts";
import { isTrial, repetitions } from "../support/trial.ts";

/** What an operator does on the day after the disk is gone. */

const TOWN = { seed: 12, observations: 300, records: 12 };
const LATER = ["--clock", "2026-05-02T09:00:00Z"];

let operator: Operator;
const backups = () => join(operator.folder, "backups");
const siteOf = (home: string) => releasePaths(realpathSync(homePaths(home).current)).site;
const changesOf = (home: string) =>
  ReleaseChanges.parse(JSON.parse(readFileSync(join(siteOf(home), "exports/changes.json"), "utf8")));

function recordIds(home: string): string[] {
  const entities = readdirSync(join(siteOf(home), "api/v1/entity")).filter((name) => name.endsWith(".json"));
  return entities.map((name) => name.slice(0, -".json".length)).sort();
}

const Preview = z.object({ confirm: z.string() });

/** Both steps of a redaction or an opt-out. */
async function erase(args: readonly string[]): Promise<void> {
  const asked = [...args, "--reason", "owner_request", ...LATER, "--json"];
  const { confirm } = Preview.parse(JSON.parse(await operator.ok(asked)));
  await operator.ok([...asked, "--confirm", confirm]);
}

beforeAll(async () => {
  operator = new Operator();
  await observedTown(operator, TOWN);
  await operator.ok(["partner", "create", "Example Maps", "--contact", "ops@maps.example"]);
});

afterAll(() => operator[Symbol.dispose]());

describe("the disaster drill", () => {
  test("everything but the backup is gone, and the same release comes back byte for byte", async () => {
    await operator.ok(["build"]);
    const home = operator.home.root;
    const before = recordIds(home);
    const [leaver = "", kept = ""] = before;
    expect(changesOf(home)).toMatchObject({ against: null, records: [] });

    await operator.ok(["city", "review", TOWN_SLUG, "--clock", "2026-05-01T09:00:00Z"]);
    await erase(["opt-out", leaver]);
    const observations = readFileSync(join(siteOf(home), `api/v1/observations/${kept}.json`), "utf8");
    await erase(["redact", /"id":(\d+)/.exec(observations)?.[1] ?? ""]);
    const more = operator.write(
      "more.ndjson",
      ndjson(townObservations({ ...TOWN, seed: 13, observations: 60 })),
    );
    await operator.ok(["ingest", more, "--synthetic", ...LATER]);
    await operator.ok(["seal", "--now", ...LATER]);
    await operator.ok(["build"]);

    // The change file adds up, and names nobody who is gone.
    const changes = changesOf(home);
    const left = before.length - 1; // the patch release after the opt-out, with which this one is compared
    expect(changes.against?.records).toBe(left);
    expect(changes.release.records).toBe(recordIds(home).length);
    expect(left + changes.added - changes.merged - changes.removed).toBe(changes.release.records);
    expect(changes.removed).toBe(0);
    expect(changes.added + changes.changed).toBe(changes.records.length);
    const found = spawnSync("grep", ["-rlF", leaver, siteOf(home)], { encoding: "utf8" });
    expect(found.stdout).toBe("");

    const checked = spawnSync("sha256sum", ["-c", "--quiet", "SHA256SUMS"], {
      cwd: join(siteOf(home), "exports"),
    });
    expect(checked.status).toBe(0);
    expect(readFileSync(join(siteOf(home), "exports/LICENSE.txt"), "utf8")).toContain("CC-BY-4.0");

    const hashes = releaseHashes(realpathSync(operator.home.current));
    await operator.ok(["backup", join(backups(), "monday")]);
    rmSync(home, { recursive: true });

    const said = await operator.run(["restore", join(backups(), "monday"), "--into", home]);
    expect(said).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("WARNING: a checkpoint of more than"),
    });
    await operator.ok(["build"]);
    expect(releaseHashes(realpathSync(operator.home.current))).toEqual(hashes);
    await operator.ok(["verify"]);
    await operator.ok(["replay"]);
    expect(await operator.ok(["partner", "list"])).toContain("Example Maps");
    expect(existsSync(operator.home.lastRelease)).toBe(false);
  });
});

describe("beside everything else", () => {
  test("a backup made during intake and delivery verifies", async () => {
    using busy = new Operator();
    await foundTown(busy);
    const file = busy.write(
      "many.ndjson",
      ndjson(townObservations({ seed: 4, observations: 20_000, records: 60 })),
    );
    const intake = busy.start([
      "ingest",
      file,
      "--synthetic",
      "--json",
      "--batch",
      "100",
      "--clock",
      "2026-05-01T07:00:00Z",
    ]);
    await intake.said('"committed"');
    const target = join(busy.folder, "backup");
    await busy.ok(["backup", target]);
    const { code } = await intake.done;
    expect(code).toBe(0);
    await busy.ok(["restore", target, "--into", join(busy.folder, "new")]);
  });
});

describe("kill -9", () => {
  /** Milliseconds after the command has begun to write. */
  const MOMENTS = [3, 30, 0, 10, 60, 100].slice(0, repetitions(6, 2));

  /** Starts a command and kills it so long after `folder` is there. Returns whether that was in the middle of its work. */
  async function killed(args: readonly string[], folder: string, ms: number): Promise<boolean> {
    const command = operator.start(args);
    let isOver = false;
    const over = command.done.then(() => {
      isOver = true;
    });
    while (!existsSync(folder) && !isOver) await pause(1);
    await pause(ms);
    endGroup(command);
    await over;
    return existsSync(folder);
  }

  async function assertWhole(folder: string): Promise<void> {
    for (const [name, { sha256 }] of Object.entries(readBackupManifest(folder).files))
      expect(await hashOfFile(join(folder, name)), name).toBe(sha256);
  }

  test("a killed backup is none or a whole one, and the next one cleans up", async () => {
    let halves = 0;
    for (const ms of MOMENTS) {
      const target = join(backups(), `killed-${ms}`);
      const incomplete = `${target}.incomplete`;
      halves += (await killed(["backup", target], incomplete, ms)) ? 1 : 0;
      if (existsSync(target)) await assertWhole(target);
      else await operator.ok(["backup", target]);
      expect(existsSync(target)).toBe(true);
    }
    expect(halves).toBeGreaterThan(isTrial ? 1 : 0);
  });

  test("a killed restore is none or a whole one, and the next one cleans up", async () => {
    const backup = join(operator.folder, "for-kills");
    await operator.ok(["backup", backup]);
    let halves = 0;
    for (const ms of MOMENTS) {
      const target = join(operator.folder, `home-${ms}`);
      const restore = ["restore", backup, "--into", target];
      halves += (await killed(restore, `${target}.incomplete`, ms)) ? 1 : 0;
      if (!existsSync(target)) await operator.ok(restore);
      using reader = openLedgerReader(homePaths(target).ledger, { keysDir: homePaths(target).keys });
      expect(reader.latestCheckpoint()).toBeDefined();
    }
    expect(halves).toBeGreaterThan(isTrial ? 1 : 0);
  });
});

describe("a full disk", () => {
  test("is said, and nothing of a backup or a restored home is left behind", async ({ skip }) => {
    using disk = SmallDisk.mounted(1);
    if (disk === undefined) return skip("a small disk can only be mounted by root");
    writeFileSync(join(disk.folder, "filler"), Buffer.alloc(600_000));
    const target = join(disk.folder, "backup");
    const full = /TARGET: the disk is full: nothing was kept/;
    const refusal = async (args: readonly string[]) =>
      (await operator.refused(args)).replaceAll(target, "TARGET");
    expect(await refusal(["backup", target])).toMatch(full);
    expect(readdirSync(disk.folder)).toEqual(["filler"]);

    const whole = join(operator.folder, "whole");
    await operator.ok(["backup", whole]);
    expect(await refusal(["restore", whole, "--into", target])).toMatch(full);
    expect(readdirSync(disk.folder)).toEqual(["filler"]);
    disk.grow(64);
    cpSync(whole, join(disk.folder, "copy"), { recursive: true });
    await operator.ok(["restore", join(disk.folder, "copy"), "--into", target]);
  });
});
