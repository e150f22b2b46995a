/** `npm test` and `npm run check`: each check is a script of package.json, and the first in the list that fails ends the run. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sideBySide } from "../src/kernel/concurrency.ts";

/** Every check of `npm test`, cheap first. `npm run check` names those of a minute. */
const ALL = ["format", "types", "imports", "unused", "contract", "browser", "pages", "tests"] as const;

/** Checks that use all cores themselves and print as they go. The others have one thread each. */
const ALONE = ["unit", "tests"];
const LANES = 2;

/** Where Linux has files in memory, and what must be free of it and of the memory itself: the tests need a tenth of it at a time. */
const SHARED_MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 4 * 2 ** 30;
const MIN_MEMORY_BYTES = 8 * 2 ** 30;

/** Below this share of modules seen, the tool missed sources, and its silence proves nothing. */
const MIN_SHARE_SEEN = 0.95;

interface Outcome {
  readonly name: string;
  readonly status: number | null;
  readonly output: string;
  readonly seconds: number;
}

const running = new Set<ChildProcess>();

/**
 * A temporary folder for the tests in memory, where there is enough: nothing in it has to outlive them, and on a disk most of the time of
 * the unit tests is waits for ledgers to be written. Undefined where it has to be the usual one.
 */
function folderInMemory(): string | undefined {
  if (!existsSync(SHARED_MEMORY) || process.availableMemory() < MIN_MEMORY_BYTES) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  const mounted = readFileSync("/proc/mounts", "utf8");
  const runsPrograms = /^\S+ \/dev\/shm tmpfs (?!\S*\bnoexec\b)/m.test(mounted);
  if (bavail * bsize < MIN_FREE_BYTES || !runsPrograms) return undefined;
  const folder = mkdtempSync(join(SHARED_MEMORY, "presence-tests-"));
  chmodSync(folder, 0o1777); // some tests run commands as other users
  process.once("exit", () => spawnSync("rm", ["-rf", folder]));
  return folder;
}

async function runCheck(name: string): Promise<Outcome> {
  const start = performance.now();
  const isAlone = ALONE.includes(name);
  const memory = isAlone ? folderInMemory() : undefined;
  const variables = memory === undefined ? "" : `TMPDIR=${memory} `;
  const child = spawn("sh", ["-c", `${variables}exec npm run --silent check:${name} 2>&1`], {
    stdio: ["ignore", isAlone ? "inherit" : "pipe", "inherit"],
    detached: !isAlone, // a group, so that an end reaches what npm has started
  });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const output = child.stdout === null ? "" : await text(child.stdout);
  const status = await ended;
  running.delete(child);
  return { name, status, output, seconds: (performance.now() - start) / 1000 };
}

/** Two at a time. What each prints stays whole, and comes in the order of the list. */
async function runTogether(names: readonly string[]): Promise<void> {
  const outcomes = names.map((name) => ({ name, ...Promise.withResolvers<Outcome>() }));
  const ended = sideBySide(outcomes, LANES, async ({ name, resolve }) => resolve(await runCheck(name)));
  for (const { promise } of outcomes) {
    const outcome = await promise;
    process.stdout.write(`\n== ${outcome.name}\n${outcome.output}`);
    judge(outcome);
  }
  await ended;
}

async function runAlone(name: string): Promise<void> {
  process.stdout.write(`\n== ${name}\n`);
  judge(await runCheck(name));
}

function judge({ name, status, output, seconds }: Outcome): void {
  if (status !== 0) fail(`check:${name} failed`);
  if (name === "imports") assertModulesSeen(output);
  process.stdout.write(`== ${name}: ok, ${seconds.toFixed(1)} s\n`);
}

function assertModulesSeen(output: string): void {
  const seen = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  const all = globSync(["src/**/*.ts", "build-scripts/**/*.ts"], { exclude: ["**/*.test.ts"] }).length;
  if (seen < all * MIN_SHARE_SEEN) fail(`check:imports saw ${seen} modules of at least ${all}`);
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`);
  for (const { pid, exitCode } of running) if (pid !== undefined && exitCode === null) process.kill(-pid);
  process.exit(1);
}

const named = process.argv.slice(2);
const names: readonly string[] = named.length > 0 ? named : ALL;
const interrupt = () => fail("interrupted");
process.once("SIGINT", interrupt);
await runTogether(names.filter((name) => !ALONE.includes(name)));
process.off("SIGINT", interrupt);
process.on("SIGINT", () => undefined); // tests end by it themselves, and then this run
for (const name of names.filter((each) => ALONE.includes(each))) await runAlone(name);
