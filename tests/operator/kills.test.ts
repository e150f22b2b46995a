import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Home } from "../../src/kernel/home.ts";
import { seededRandom } from "../../src/kernel/seeded.ts";
import { parseVkey } from "../../src/ledger/keys/note.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { Operator } from "../support/operations/operator.ts";
import { endGroup, type RunningCommand } from "../support/operations/presence-process.ts";
import { currentName, releaseFaults, releaseHashes } from "../support/release/whole-release.ts";
import { DAYS, foundTown, ndjson, observedTown, townObservations } from "../support/towns/town.ts";
import { isTrial, repetitions } from "../support/trial.ts";

/** In the long form 50, each at a moment of its own. */
const INGEST_KILLS = repetitions(30, 2);
const SEAL_KILLS = repetitions(4);
const BUILD_KILLS = repetitions(16, 2);
const LAST_BUILD = 2 * BUILD_KILLS + 1;

/** A kill after so many lines of the standard error, and so many milliseconds more. */
interface Moment {
  readonly lines: number;
  readonly ms: number;
}

/** Starts a command and kills it at the moment; its whole group, or the process alone, so that what it started lives on. */
async function killed(operator: Operator, args: readonly string[], moment: Moment, alone = false) {
  const command = operator.start(args);
  let lines = 0;
  const reached = new Promise<void>((resolve) => {
    const count = (text: string) => {
      lines += text.split("\n").length - 1;
      if (lines >= moment.lines) resolve();
    };
    count("");
    command.child.stderr?.on("data", count);
    command.child.once("close", () => resolve());
  });
  await reached;
  await pause(moment.ms);
  if (alone) command.child.kill("SIGKILL");
  else endGroup(command);
  return { command, outcome: await command.done };
}

const Totals = z.object({
  read: z.int(),
  accepted: z.int(),
  already_known: z.int(),
  rejected: z.int(),
});
type Totals = z.infer<typeof Totals>;
const Committed = z.object({ committed: Totals });

/** The last totals that an ingest acknowledged; a line that the kill cut short was never said. */
function acknowledged(stderr: string): Totals {
  const line = stderr.split("\n").slice(0, -1).at(-1);
  if (line === undefined) return { read: 0, accepted: 0, already_known: 0, rejected: 0 };
  return Committed.parse(JSON.parse(line)).committed;
}

const REFERENCES = "(SELECT * FROM source_refs UNION ALL SELECT * FROM recent_refs)";

/** What the ledger holds, seen by a reader beside everything else. */
function holdings({ ledger }: Home) {
  const database = new Database(ledger, { readonly: true });
  const count = (sql: string) => database.prepare<[], number>(sql).pluck().get() ?? 0;
  const kind = (name: string) => count(`SELECT count(*) FROM rows WHERE kind = '${name}'`);
  const kept = {
    observations: kind("observation"),
    records: kind("record"),
    assets: kind("asset"),
    references: count(`SELECT count(*) FROM ${REFERENCES} WHERE row IS NOT NULL`),
    waiting: count("SELECT count(*) FROM pending WHERE state = 'waiting'"),
    held: count("SELECT count(*) FROM pending WHERE state = 'held'"),
    accepted: count(`SELECT count(*) FROM ${REFERENCES}`),
    gaps: count("SELECT max(id) - count(*) FROM rows"),
    unopened: count("SELECT count(*) FROM rows LEFT JOIN openings ON row = id WHERE row IS NULL"),
  };
  database.close();
  return kept;
}

/** Every sealed row, proved against the signed tree. Returns how many there are. */
function provedRows({ ledger, keys }: Home): number {
  using reader = openLedgerReader(ledger, { keysDir: keys });
  let rows = 0;
  for (const row of reader.verifiedRows(reader.latestCheckpoint()?.size ?? 0)) rows = row.id;
  return rows;
}

const FILES = Math.ceil(INGEST_KILLS / 5);
const LINES = isTrial ? 5000 : 2500;
const GROWTH = 1.03; // of the lines by those that `mixedLines` adds
const BATCH = 125;
const KILLS_A_FILE = INGEST_KILLS / FILES;

/** Good lines, and among every hundred of them one that is broken, one that is held and one that comes twice. */
function* mixedLines(seed: number) {
  let number = 0;
  for (const observation of townObservations({ seed, observations: LINES, records: 400 })) {
    yield observation;
    number += 1;
    if (number % 100 === 0)
      yield { ...observation, source_ref: `held-${seed}-${number}`, name: "Restaurant" };
    if (number % 100 === 25) yield observation;
    if (number % 100 === 50) yield { ...observation, source_ref: `broken-${seed}-${number}`, lat: "north" };
  }
}

/** The first kill of a file comes while the process starts, the others deeper and deeper in the file. */
function ingestMoment(kill: number, random: () => number): Moment {
  if (kill === 0) return { lines: 0, ms: 80 + random() * 400 };
  // Not into the last two fifths, which a fast machine would have done before the signal comes.
  const depth = (0.6 * (random() + kill - 1)) / KILLS_A_FILE;
  return { lines: Math.ceil((depth * LINES) / BATCH), ms: random() * 25 };
}

async function killIngest(operator: Operator, args: readonly string[], moment: Moment): Promise<void> {
  const before = holdings(operator.home);
  const { outcome } = await killed(operator, args, moment);
  expect(outcome.signal, outcome.stderr).toBe("SIGKILL");
  const said = acknowledged(outcome.stderr);
  const after = holdings(operator.home);
  expect(after.waiting).toBeGreaterThanOrEqual(before.waiting + said.accepted);
  expectWhole(after);
}

/** Every accepted line is a row or pending, never both. */
function expectWhole(kept: ReturnType<typeof holdings>): void {
  const { observations, waiting, held } = kept;
  expect(kept).toMatchObject({ references: observations, accepted: observations + waiting + held });
  expect(kept).toMatchObject({ gaps: 0, unopened: 0 });
}

async function killSeal(operator: Operator, ms: number): Promise<void> {
  const seal = ["seal", "--now", "--clock", DAYS.ingest];
  await killed(operator, seal, { lines: 0, ms });
  expectWhole(holdings(operator.home));
}

/** Kills builds until enough of them died of it. Returns what it started, because a killed build's astro may live on. */
async function killBuilds(
  operator: Operator,
  build: (minute: number) => string[],
  watch: Watch,
): Promise<RunningCommand[]> {
  // Late moments come too late on a fast machine: as many early ones make up for them.
  const early = Array.from({ length: BUILD_KILLS }, (_, at) => ({ lines: 0, ms: 200 + 20 * at }));
  const left: RunningCommand[] = [];
  let kills = 0;
  for (const [at, moment] of [...buildMoments(), ...early].entries()) {
    if (kills >= BUILD_KILLS) break;
    const { command, outcome } = await killed(operator, build(at + 1), moment, at % 2 === 0);
    left.push(command);
    kills += outcome.signal === "SIGKILL" ? 1 : 0;
    watch.look();
  }
  expect(kills).toBe(BUILD_KILLS);
  return left;
}

describe("kill -9", () => {
  test(`${INGEST_KILLS} times during ingest and ${SEAL_KILLS} during seal`, async () => {
    using operator = new Operator();
    using undisturbed = new Operator();
    await foundTown(operator);
    // The same keys, so that both take the lines of the day in the same order.
    cpSync(operator.home.root, undisturbed.home.root, { recursive: true });
    const random = seededRandom(7);
    const files = Array.from({ length: FILES }, (_, at) =>
      operator.write(`part-${at}.ndjson`, ndjson(mixedLines(at))),
    );
    const args = (file: string) => [
      ...["ingest", file, "--synthetic", "--json"],
      ...["--batch", String(BATCH), "--clock", DAYS.ingest],
    ];
    const totals: Totals[] = [];
    for (const file of files) {
      for (let kill = 0; kill < KILLS_A_FILE; kill += 1)
        await killIngest(operator, args(file), ingestMoment(kill, random));
      totals.push(Totals.parse(JSON.parse(await operator.ok(args(file)))));
    }
    for (let kill = 0; kill < SEAL_KILLS; kill += 1) await killSeal(operator, 150 + random() * 1500);
    await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
    const rows = provedRows(operator.home);

    const [first = "", ...others] = files;
    await undisturbed.ok([...args(first), ...others.toReversed()]);
    await undisturbed.ok(["seal", "--now", "--clock", DAYS.seal]);
    expect(holdings(operator.home)).toEqual(holdings(undisturbed.home));
    expect(rows).toBeGreaterThan(FILES * LINES);
    for (const { read, accepted, already_known, rejected } of totals) {
      expect(read).toBe(LINES * GROWTH);
      expect(accepted + already_known + rejected).toBe(read);
      expect(rejected).toBe(LINES / 100);
    }
  });

  test(`${BUILD_KILLS} times during build`, async () => {
    using operator = new Operator({ RELEASES_KEPT: "3" });
    using undisturbed = new Operator({ RELEASES_KEPT: "3" });
    await observedTown(operator, { seed: 3, observations: 400, records: 9 });
    cpSync(operator.home.root, undisturbed.home.root, { recursive: true });
    const asOf = (minute: number) => new Date(Date.parse(DAYS.seal) + minute * 60_000).toISOString();
    const build = (minute: number) => ["build", "--as-of", asOf(minute)];
    await operator.ok(build(0));

    using watch = new Watch(operator.home);
    const left = await killBuilds(operator, build, watch);
    // Compared with none: the releases before it depend on the moments of the kills.
    const last = [...build(LAST_BUILD), "--against", "none"];
    await operator.ok(last);
    for (const command of left) endGroup(command);
    watch.look();

    expect(watch.faults).toEqual([]);
    if (isTrial) expect(watch.seen.size).toBeGreaterThan(2); // some were killed just after publishing
    const { home } = operator;
    const releases = readdirSync(home.releases);
    expect(releases.filter((name) => name.startsWith("."))).toEqual([]);
    expect(releases).toHaveLength(Math.min(3, watch.seen.size));
    for (const name of releases)
      expect(releaseFaults(join(home.releases, name), verifierOf(home))).toEqual([]);
    expect(existsSync(`${home.current}.next`)).toBe(false);
    await undisturbed.ok(last);
    expect(releaseHashes(join(home.night, currentName(home) ?? ""))).toEqual(
      releaseHashes(join(undisturbed.home.night, currentName(undisturbed.home) ?? "")),
    );
  });
});

/** Kills in every stage: so many of them after so many stages, at most so many milliseconds later. */
const BUILD_STAGES = [
  { lines: 0, kills: 2, ms: 800 }, // start and snapshot
  { lines: 1, kills: 1, ms: 300 }, // ledger
  { lines: 2, kills: 2, ms: 500 }, // emit
  { lines: 3, kills: 1, ms: 50 }, // figures
  { lines: 4, kills: 1, ms: 100 }, // tables
  { lines: 5, kills: 1, ms: 50 }, // exports
  { lines: 6, kills: 1, ms: 300 }, // pictures
  { lines: 7, kills: 3, ms: 1200 }, // pages
  { lines: 8, kills: 1, ms: 2 }, // check
  { lines: 9, kills: 1, ms: 6 }, // manifest
  { lines: 10, kills: 1, ms: 5 }, // judge
  { lines: 11, kills: 2, ms: 20 }, // publish
  { lines: 12, kills: 1, ms: 0 }, // published
];

function buildMoments(): Moment[] {
  const random = seededRandom(11);
  const moments = BUILD_STAGES.flatMap(({ lines, kills, ms }) =>
    Array.from({ length: kills }, () => ({ lines, ms: random() * ms, order: random() })),
  );
  return moments.sort((a, b) => a.order - b.order);
}

function verifierOf({ ledger, keys }: Home) {
  using reader = openLedgerReader(ledger, { keysDir: keys });
  return parseVkey(reader.meta.vkey);
}

const WATCH_MS = 10;

/** A reader beside the builds: whatever `current` points at must be whole, whenever it looks. */
class Watch implements Disposable {
  readonly seen = new Set<string>();
  readonly faults: string[] = [];
  readonly #home: Home;
  readonly #verifier;
  readonly #timer;

  constructor(home: Home) {
    this.#home = home;
    this.#verifier = verifierOf(home);
    this.#timer = setInterval(() => {
      if (!this.seen.has(currentName(home) ?? "")) this.look();
    }, WATCH_MS);
  }

  look(): void {
    const name = currentName(this.#home);
    if (name === undefined) this.faults.push("current is gone");
    if (name === undefined) return;
    this.seen.add(name);
    this.faults.push(...releaseFaults(join(this.#home.night, name), this.#verifier));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
