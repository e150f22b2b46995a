import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { z } from "zod";
import { ingest } from "../../src/intake/ingest.ts";
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import type { RecordDocuments } from "../../src/kernel/record-documents.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import {
  benchObservations,
  ndjsonChunks,
  type WorldOptions,
} from "../../tests/support/towns/observations.ts";
import { BENCH_END } from "./intake.ts";
import { type Peaks, watchTree } from "./processes.ts";
import { amountLine, type BenchLine, boundLine, sizeOf, speedLine } from "./table.ts";

/** What `presence build --json` says. */
const Built = z.object({
  directory: z.string(),
  rows: z.int(),
  observations: z.int(),
  records: z.int(),
  cities: z.int(),
  seconds: z.number(),
});

export type MeasuredBuild = z.infer<typeof Built> & { readonly peaks: Peaks };

interface BuildSettings {
  readonly home: string;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly documents?: RecordDocuments;
  readonly asOf?: string;
  /** Where the build's progress goes. */
  readonly progress?: "inherit" | "ignore";
}

/** Builds a release in separate processes, so that their memory can be measured. Throws when it fails. */
export async function measuredBuild(settings: BuildSettings): Promise<MeasuredBuild> {
  const { home, baseUrl, sourceRevision, documents = "files", asOf, progress = "inherit" } = settings;
  const cli = join(import.meta.dirname, "../../src/cli/cli.ts");
  const options = asOf === undefined ? [] : ["--as-of", asOf];
  const child = spawn(process.execPath, [cli, "build", "--json", ...options], {
    env: {
      PRESENCE_HOME: home,
      BASE_URL: baseUrl,
      SOURCE_REVISION: sourceRevision,
      RECORD_DOCUMENTS: documents,
    },
    stdio: ["ignore", "pipe", progress],
  });
  const tree = watchTree(child.pid ?? 0);
  const ended = once(child, "exit");
  const output = await text(child.stdout);
  await ended;
  const peaks = tree.stop();
  if (child.exitCode !== 0) throw new Error(`presence build in ${home} ended with code ${child.exitCode}`);
  return { ...Built.parse(JSON.parse(output)), peaks };
}

const SHARE = 100; // of the observations, one in so many is new
const MAX_NIGHT_SECONDS = 60;
const MAX_NIGHT_MB = 2000;

/** The night after the release in `home`: one per cent new observations accepted, taken in and sealed, and a release. */
export async function benchNight(
  home: string,
  world: WorldOptions,
  documents: RecordDocuments,
): Promise<BenchLine[]> {
  const rows = world.observations / SHARE;
  const fresh = freshObservations(world, rows);
  const start = performance.now();
  await takeInNight(home, fresh);
  const { peaks } = await measuredBuild({ home, documents, ...SETTINGS });
  const seconds = (performance.now() - start) / 1000;
  const { site } = releasePaths(realpathSync(homePaths(home).current));
  const made = sizeOf(site, ({ nlink }) => nlink === 1); // the others are those of the release before
  const what = `night of ${rows.toLocaleString("en-US")} new rows`;
  return [
    boundLine(`${what}: time`, "s", seconds, MAX_NIGHT_SECONDS),
    boundLine(`${what}: memory of all its processes`, "MB", peaks.treeMb, MAX_NIGHT_MB),
    amountLine(`${what}: files made`, "files", made.files),
    amountLine(`${what}: size of files made`, "MB", made.megabytes),
  ];
}

/** Observations of the same world that come after those of the release. */
function freshObservations(world: WorldOptions, count: number): ObservationInput[] {
  const { observations } = world;
  const fresh: ObservationInput[] = [];
  let at = 0;
  for (const each of benchObservations({ ...world, observations: observations + count }))
    if (++at > observations) fresh.push(each);
  return fresh;
}

async function takeInNight(home: string, fresh: readonly ObservationInput[]): Promise<void> {
  const { ledger: path, keys: keysDir } = homePaths(home);
  const clock = () => BENCH_END + DAY_MS;
  using ledger = openLedgerWriter(path, { keysDir, clock });
  const industries = classifier(loadClassifierReference());
  const rejects = { write: () => undefined };
  const input = join(home, "a-night.ndjson");
  writeFileSync(input, Buffer.concat([...ndjsonChunks(fresh)]));
  const source = { largeFile: openSync(input, "r") };
  await ingest({ ledger, source, name: "a night", synthetic: true, dryRun: false, rejects });
  await takeIn({ ledger, classifier: () => industries, random: systemRandom, now: true });
  ledger.seal({ now: true });
}

const MAX_PATCH_SECONDS = 60;
const cli = join(import.meta.dirname, "../../src/cli/cli.ts");
const run = promisify(execFile);

const Preview = z.object({ confirm: z.string() });
const Done = z.object({ release_seconds: z.number(), files_made: z.int(), files_linked: z.int() });

/** An opt-out in the release that lies in `home`: how long until the public no longer gets the record. */
export async function benchPatch(home: string, env: Readonly<Record<string, string>>): Promise<BenchLine> {
  const command = [cli, "opt-out", someRecord(home), "--reason", "owner_request", "--json"];
  const presence = async (...more: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [...command, ...more], {
      env: { PRESENCE_HOME: home, ...env },
    });
    return JSON.parse(stdout);
  };
  const { confirm } = Preview.parse(await presence());
  const { release_seconds, files_made, files_linked } = Done.parse(await presence("--confirm", confirm));
  const files = `${files_made.toLocaleString("en-US")} files made, ${files_linked.toLocaleString("en-US")} linked`;
  return boundLine(`patch release after an opt-out, ${files}`, "s", release_seconds, MAX_PATCH_SECONDS);
}

function someRecord(home: string): string {
  const context = contextAt(releasePaths(realpathSync(homePaths(home).current)).snapshot);
  const [publicId = ""] = [...context.snapshot.publicIds()].sort();
  context.close();
  return publicId;
}

const Stage = z.object({ stage: z.string(), seconds: z.number() });

export const SETTINGS = { baseUrl: "https://bench.example", sourceRevision: "bench" };
const MAX_SECONDS = 120;
const MAX_MB = 1500;

/** A full release of the ledger in `home`, by the command line in processes of its own. */
export async function benchRelease(home: string, documents: RecordDocuments): Promise<BenchLine[]> {
  const { ledger, buildLog } = homePaths(home);
  const sealSeconds = seal(home);
  const built = await measuredBuild({ home, documents, ...SETTINGS });
  const { site, snapshot } = releasePaths(built.directory);
  const seconds = stageSeconds(buildLog);
  const bareRows = bareSnapshotRate(ledger, snapshot, built.rows);
  const bare = bareFileRate(site, join(home, "bare"));
  const fileSeconds = (seconds.get("emit") ?? 0) + (seconds.get("pages") ?? 0);
  const what = `release of ${built.rows.toLocaleString("en-US")} rows, ${built.records.toLocaleString("en-US")} records`;
  return [
    speedLine("seal", "rows/s", built.rows / sealSeconds, bareRows),
    speedLine("snapshot", "rows/s", built.rows / (seconds.get("snapshot") ?? 0), bareRows),
    speedLine("files emitted, pages included", "files/s", bare.files / fileSeconds, bare.perSecond),
    boundLine(`${what}: time`, "s", built.seconds, MAX_SECONDS),
    boundLine(`${what}: memory of all its processes`, "MB", built.peaks.treeMb, MAX_MB),
    amountLine(`${what}: files`, "files", bare.files),
    amountLine(`${what}: size on disk`, "MB", sizeOf(built.directory).megabytes),
    amountLine(
      `ledger of ${built.rows.toLocaleString("en-US")} rows: size`,
      "MB",
      statSync(ledger).size / 1e6,
    ),
  ];
}

function seal(home: string): number {
  const { ledger, keys: keysDir } = homePaths(home);
  using writer = openLedgerWriter(ledger, { keysDir, clock: () => BENCH_END });
  const start = performance.now();
  writer.seal({ now: true });
  return (performance.now() - start) / 1000;
}

function stageSeconds(buildLog: string): Map<string, number> {
  const lines = readFileSync(buildLog, "utf8").trim().split("\n");
  return new Map(
    lines.map((line) => Stage.parse(JSON.parse(line))).map(({ stage, seconds }) => [stage, seconds]),
  );
}

/** The limits of a release, measured: what the machine takes to move the same bytes with nothing in between. */

/** Rows/s of reading every row of a ledger as it is and having SQLite write the whole snapshot once more. */
export function bareSnapshotRate(ledger: string, snapshot: string, rows: number): number {
  const copy = `${snapshot}.copy`;
  const start = performance.now();
  const source = new Database(ledger, { readonly: true });
  const columns = source.prepare(
    "SELECT r.id, r.kind, r.accepted_at, r.digests, r.leaf_hash, o.salts, o.body FROM rows r JOIN openings o ON o.row = r.id",
  );
  for (const _ of columns.raw().iterate());
  source.close();
  const built = new Database(snapshot, { readonly: true });
  built.prepare("VACUUM INTO ?").run(copy);
  built.close();
  const seconds = (performance.now() - start) / 1000;
  rmSync(copy);
  return rows / seconds;
}

const SAMPLE = 60_000;

/** Number of files of a site, and files/s of writing them from memory into a fresh folder. */
export function bareFileRate(site: string, scratch: string) {
  const paths = filesBelow(site);
  const step = Math.ceil(paths.length / SAMPLE);
  const sample = paths
    .filter((_, at) => at % step === 0)
    .map((path) => ({ path: join(scratch, relative(site, path)), bytes: readFileSync(path) }));
  const folders = new Set<string>();
  const start = performance.now();
  for (const { path, bytes } of sample) {
    const folder = dirname(path);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    writeFileSync(path, bytes);
  }
  const seconds = (performance.now() - start) / 1000;
  rmSync(scratch, { recursive: true });
  return { files: paths.length, perSecond: sample.length / seconds };
}
