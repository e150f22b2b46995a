import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { BuildEffects } from "../../src/build/effects.ts";
import { emitRoutes } from "../../src/build/stages/emit.ts";
import { publishLedger } from "../../src/build/stages/ledger.ts";
import { writePages } from "../../src/build/stages/pages.ts";
import type { WriteTask } from "../../src/build/stages/shares.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { Operator, type RunOptions } from "../support/operations/operator.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { currentName, releaseHashes } from "../support/release/whole-release.ts";
import { SHARED_CACHES } from "../support/towns/shared-caches.ts";
import { DAYS, ndjson, observedTown, townObservations } from "../support/towns/town.ts";

/** So many that their pages are divided among threads. */
const MANY = 1_000_000;
const Manifest = z.looseObject({ inputs: z.looseObject({ tree_size: z.int(), as_of: z.string() }) });
const TOWN = { seed: 5, observations: 1500, records: 30 };

/** The same ledger and keys at another place. */
function copyOf({ home, folder }: Operator): Operator {
  const copy = new Operator({}, folder);
  cpSync(home.root, copy.home.root, { recursive: true });
  return copy;
}

/** Builds a release; returns the SHA-256 of each of its files. */
async function built(operator: Operator, args: readonly string[] = [], options: RunOptions = {}) {
  await operator.ok(["build", ...args], options);
  return releaseHashes(join(operator.home.night, currentName(operator.home) ?? ""));
}

/** The manifest of the current release. */
function currentManifest() {
  const { manifest } = releasePaths(join(operator.home.night, currentName(operator.home) ?? ""));
  return Manifest.parse(JSON.parse(readFileSync(manifest, "utf8")));
}

/** What a clone would hold: the files that git knows or would take, and the installed packages. */
function cloneProject(folder: string): string {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: PROJECT,
    encoding: "utf8",
  });
  const clone = join(folder, "a clone of the project");
  for (const file of listed.stdout.split("\0").filter((name) => name !== "")) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(PROJECT, file), join(clone, file));
  }
  symlinkSync(join(PROJECT, "node_modules"), join(clone, "node_modules"));
  return clone;
}

const unbuilt = new Operator();
let operator: Operator; // the same town with its first release
let first: Record<string, string>; // hashes of that release's files

beforeAll(async () => {
  await observedTown(unbuilt, TOWN);
  operator = copyOf(unbuilt);
  first = await built(operator);
});

afterAll(() => unbuilt[Symbol.dispose]());

test("a release is the same byte for byte, wherever and however it is built", async () => {
  const [elsewhere, inClone] = [copyOf(unbuilt), copyOf(unbuilt)];
  expect(Object.keys(first).length).toBeGreaterThan(100);
  expect(first).toHaveProperty("snapshot.db");

  const place = { TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
  const machine = { NODE_OPTIONS: "--max-old-space-size=512", UV_THREADPOOL_SIZE: "1" };
  const shell = 'umask 077; exec "$@"';
  expect(await built(elsewhere, [], { env: { ...place, ...machine }, shell })).toEqual(first);
  expect(
    await built(inClone, [], {
      project: cloneProject(unbuilt.folder),
      env: { TZ: "Etc/GMT+12", COMPILED_PAGES: join(inClone.folder, "compiled-pages") },
    }),
  ).toEqual(first);
  // Once more over the release itself: now every file is linked from the one before.
  expect(await built(operator)).toEqual(first);
});

/** What pages read of a release, by the stages of the build that write it. Returns the hash of each file. */
async function writeFilesBeforePages(task: WriteTask): Promise<ReadonlyMap<string, string>> {
  const effects = new BuildEffects(task.site, undefined);
  const { inputs } = currentManifest();
  const ledger = {
    ...task,
    ledgerPath: operator.home.ledger,
    treeSize: inputs.tree_size,
    asOf: Date.parse(inputs.as_of),
  };
  await publishLedger(ledger, effects, () => undefined);
  await emitRoutes(task, MANY, effects, () => undefined);
  return effects.hashes;
}

test("what several threads write is what the thread of a small build writes", async () => {
  const { snapshot } = releasePaths(join(operator.home.night, currentName(operator.home) ?? ""));
  const site = join(operator.folder, "pages-site");
  const task = { snapshot, site, documents: "files" } as const;
  const before = await writeFilesBeforePages(task);
  // The page of all data shows the list of files, which another stage makes of all of them.
  const list = "exports/index.json";
  cpSync(
    join(releasePaths(join(operator.home.night, currentName(operator.home) ?? "")).site, list),
    join(site, list),
  );
  const effects = new BuildEffects(site, undefined);
  const compiled = SHARED_CACHES.COMPILED_PAGES;
  const scratch = join(operator.folder, "compiling");
  await writePages({ ...task, project: PROJECT, compiled, scratch }, MANY, effects, () => undefined);
  const files = [...before, ...effects.hashes].map(([path, hash]) => [`site/${path}`, hash]);
  expect(effects.hashes.size).toBeGreaterThan(TOWN.records);
  for (const [path = "", hash] of files) expect([path, first[path]]).toEqual([path, hash]);
  const rendered = Object.keys(first).filter((path) => path.endsWith(".html"));
  expect(rendered.filter((path) => !effects.hashes.has(path.replace(/^site\//, "")))).toEqual([]);
});

test("an earlier release can be built again byte for byte after more has come in", async () => {
  const { inputs } = currentManifest();

  const more = operator.write("more.ndjson", ndjson(townObservations({ ...TOWN, seed: 6, records: 40 })));
  await operator.ok(["ingest", more, "--synthetic", "--clock", "2026-05-02T07:00:00Z"]);
  await operator.ok(["seal", "--now", "--clock", "2026-05-02T08:00:00Z"]);
  const second = await built(operator);
  expect(second["snapshot.db"]).not.toBe(first["snapshot.db"]);

  const again = ["--tree-size", String(inputs.tree_size), "--as-of", inputs.as_of];
  expect(await built(operator, again)).toEqual(first);
  using fresh = copyOf(operator);
  expect(await built(fresh, again)).toEqual(first);
  expect(await built(operator)).toEqual(second);
  expect(inputs.as_of).toBe(DAYS.seal);
});
