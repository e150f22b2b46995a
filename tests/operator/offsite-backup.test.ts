import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { readBackupStatus } from "../../src/kernel/status-files.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { Operator } from "../support/operations/operator.ts";
import { releaseHashes } from "../support/release/whole-release.ts";
import { hasRestic, presenceBackup, repositoriesIn, restic } from "../support/servers/restic.ts";
import { ndjson, townObservations } from "../support/towns/town.ts";
import { CLOCK, confirmed, current, FIRST, recordIn, traces, twoTowns } from "../support/towns/two-towns.ts";

/** Backups off the machine by deploy/backup, to repositories of Debian's restic in a folder beside the home. */

const hasFaketime = spawnSync("faketime", ["--version"]).status === 0;
const place = mkdtempSync(join(tmpdir(), "presence-repositories-"));
const lost = join(place, "lost");

let operator: Operator;
const treeSize = () => openLedgerReader(operator.home.ledger).latestCheckpoint()?.size ?? 0;
const status = () => readBackupStatus(operator.home.backupStatus);
/** A task of the script, some days from now. */
const backup = (args: readonly string[] = [], days = 0) =>
  presenceBackup(place, operator.home.root, args, { days });
const doctor = async () => (await operator.run(["doctor"])).stdout;

/** The repositories are out of reach, as a disk that is not mounted. */
async function withoutRepositories<T>(work: () => Promise<T>): Promise<T> {
  mkdirSync(lost);
  for (const name of ["data", "keys"]) renameSync(join(place, name), join(lost, name));
  try {
    return await work();
  } finally {
    for (const name of ["data", "keys"]) renameSync(join(lost, name), join(place, name));
    rmSync(lost, { recursive: true });
  }
}

/** Another night, with rows of its own. */
async function sealMore(seed: number): Promise<void> {
  const lines = townObservations({ seed, observations: 20, records: 3 });
  await operator.ok([
    "ingest",
    operator.write(`more-${seed}.ndjson`, ndjson(lines)),
    "--synthetic",
    ...CLOCK,
  ]);
  await operator.ok(["seal", "--now", ...CLOCK]);
}

describe.runIf(await hasRestic())("off the machine", () => {
  beforeAll(async () => {
    operator = new Operator(repositoriesIn(place));
    await backup(["init"]);
    await twoTowns(operator);
  });
  afterAll(() => {
    operator[Symbol.dispose]();
    rmSync(place, { recursive: true });
  });

  test("the release that was just published is there, with its keys apart", async () => {
    expect(status().backed?.tree_size).toBe(treeSize());
    const names = restic(place, "data", ["ls", "latest", "--tag", "ledger"]);
    expect(names).toContain("/night/ledger.db");
    expect(names).not.toContain("keys");
    expect(restic(place, "keys", ["ls", "latest"])).toContain("/demo.signing.json");
  });

  test("a backup stores what has changed, and nothing when nothing has", async () => {
    const snapshots = () =>
      z.array(z.unknown()).parse(JSON.parse(restic(place, "data", ["snapshots", "--json"])));
    await operator.ok(["partner", "create", "Example Maps", "--contact", "ops@maps.example"]);
    const before = snapshots().length;
    await backup();
    expect(snapshots()).toHaveLength(before + 1);
    const [first] = [status().backed?.as_of];
    await backup();
    expect(snapshots()).toHaveLength(before + 1);
    expect(Date.parse(status().backed?.as_of ?? "")).toBeGreaterThanOrEqual(Date.parse(first ?? ""));
  });

  test("no checkpoint is published that it does not hold", async () => {
    const before = current(operator);
    await sealMore(22);
    await withoutRepositories(async () => {
      const said = await operator.refused(["build"]);
      expect(said).toContain("does not hold the rows of this release yet, so it is not published");
      expect(said).toContain("Is there a repository at the following location");
      expect(await doctor()).toMatch(/backups: the backup of .* failed: .*unable to open config file/);
    });
    expect(current(operator)).toBe(before);
    await operator.ok(["build"]);
    expect(status()).toMatchObject({ failure: null, backed: { tree_size: treeSize() } });
  });

  test("a lost machine continues its log where the public saw it end", async () => {
    const published = readFileSync(join(releasePaths(current(operator)).site, "ledger/checkpoint"));
    const hashes = releaseHashes(current(operator));
    const checkpoint = operator.write("checkpoint", published);
    rmSync(operator.home.root, { recursive: true });

    const fetched = join(place, "fetched");
    await backup(["fetch", fetched]);
    const [folder, keys] = [join(fetched, "home"), join(fetched, "keys")];
    await operator.ok([
      "restore",
      ...[folder, "--keys", keys, "--into", operator.home.root, "--published", checkpoint],
    ]);
    expect(await operator.ok(["partner", "list"])).toContain("Example Maps");
    await operator.ok(["build"]);
    expect(releaseHashes(current(operator))).toEqual(hashes);
  });

  test("a whole restore is proved and replayed, and nothing of it is left", async () => {
    await backup();
    await backup(["prove"]);
    expect(status().restored).toMatchObject({ problem: null });
    const { restored } = JSON.parse(readFileSync(operator.home.backupStatus, "utf8"));
    expect(restored.tree_size).toBe(treeSize());
    expect(filesBelow(operator.home.root).filter((file) => file.includes("backup-check/"))).toEqual([]);
  });

  test("an erasure does not wait for it, and says so until it is backed up", async () => {
    const { publicId, texts } = recordIn(operator, FIRST, 1);
    const command = await confirmed(operator, ["opt-out", publicId]);
    const Done = z.object({ backed_up: z.boolean(), backups_gone_by: z.iso.date() });
    await withoutRepositories(async () => {
      const { code, stdout, stderr } = await operator.run(command);
      expect(code).toBe(0);
      expect(stderr).toContain("WARNING: the erasure is not backed up yet, and goes out all the same");
      const { backed_up, backups_gone_by } = Done.parse(JSON.parse(stdout));
      expect(backed_up).toBe(false);
      const days = (Date.parse(backups_gone_by) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(35);
      expect(days).toBeLessThan(38);
    });
    expect(traces(current(operator), texts)).toEqual([]);
    expect(await doctor()).toContain("is not backed up with its keys: a lost machine would end the log");
    await backup();
    expect(await doctor()).not.toContain("is not backed up with its keys");
  });

  test.runIf(hasFaketime)(
    "what was erased is in no object after the date that the command names",
    async () => {
      const { publicId } = recordIn(operator, FIRST, 0);
      const named = `,"public_id":"${publicId}"}`; // the end of its record row
      const held = () => {
        const into = mkdtempSync(join(place, "restored-"));
        const ids = z
          .array(z.object({ id: z.string() }))
          .parse(JSON.parse(restic(place, "data", ["snapshots", "--json"])));
        for (const { id } of ids) restic(place, "data", ["restore", id, "--target", join(into, id)]);
        const found = spawnSync("grep", ["-rlF", named, into], { encoding: "utf8" }).stdout;
        rmSync(into, { recursive: true });
        return { snapshots: ids.length, found };
      };
      await operator.ok(await confirmed(operator, ["opt-out", publicId]));
      expect(held().found).not.toBe("");

      await operator.ok(["partner", "create", "Example Guides", "--contact", "ops@guides.example"]);
      await backup([], 38); // a backup of that day
      await expect(backup(["prune"], 38)).rejects.toThrow("no sound check of today");
      await backup(["check"], 38);
      await backup(["prune"], 38);
      const after = held();
      expect(after.found).toBe("");
      expect(after.snapshots).toBeGreaterThan(0);
      expect(restic(place, "data", ["check", "--read-data"])).toContain("no errors were found");
    },
  );

  test("an object that was damaged is found", async () => {
    await backup(["check"]);
    for (const file of filesBelow(join(place, "data/data"))) {
      spawnSync("chmod", ["u+w", file]);
      writeFileSync(file, readFileSync(file).subarray(1));
    }
    await expect(backup(["check"])).rejects.toThrow();
    await expect(backup(["prune"])).rejects.toThrow("no sound check of today");
    expect(await doctor()).toContain("backups: the backups are not sound");
  });
});
