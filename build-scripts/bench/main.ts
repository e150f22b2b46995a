/** `npm run bench`: every figure with its limit, both measured in the same run. Each bench has a process of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { RecordDocuments } from "../../src/kernel/record-documents.ts";
import type { WorldOptions } from "../../tests/support/towns/observations.ts";
import { againstText, benchAgainst } from "./against.ts";
import { benchAskedPages } from "./asked-pages.ts";
import { benchDelivery } from "./delivery.ts";
import { benchHttp } from "./http.ts";
import { BENCH_WORLD, benchIntake } from "./intake.ts";
import { benchLedger } from "./ledger.ts";
import { benchMcp } from "./mcp.ts";
import { benchMadeDocuments, benchPages } from "./pages.ts";
import { benchNight, benchPatch, benchRelease, SETTINGS } from "./release.ts";
import { measuredPoint, scaleWith } from "./scale.ts";
import { benchSearch } from "./search.ts";
import { BenchLine, benchTable, speedLine } from "./table.ts";

const QUICK_WORLD = { ...BENCH_WORLD, observations: 50_000, records: 2_000, cities: 10 };
const QUICK_NAMES = 100_000;
const QUICK_QUERIES = 2_000;

/** What is measured: the world, and how its release has the documents of records. */
interface Measured extends WorldOptions {
  readonly documents: RecordDocuments;
}

type Bench = (quick: boolean, world: Measured) => Promise<readonly BenchLine[]> | readonly BenchLine[];

const BENCHES = {
  /** The release needs the ledger that intake fills, and checking needs the release: one run measures all three. */
  release: (_, world) =>
    inFolder(async (home) => [
      ...(await intakeLines(home, world)),
      ...(await benchRelease(home, world.documents)),
      ...(await benchLedger(home)),
      ...(world.documents === "on-demand" ? await benchMadeDocuments(home) : []),
      ...(await benchNight(home, world, world.documents)),
      // Last, because an erasure is of the present.
      await benchPatch(home, { BASE_URL: SETTINGS.baseUrl, SOURCE_REVISION: SETTINGS.sourceRevision }),
    ]),
  intake: (_, world) => inFolder((home) => intakeLines(home, world)),
  pages: (quick) => inFolder((home) => benchPages(home, quick)),
  search: (quick) => (quick ? benchSearch(QUICK_NAMES, QUICK_QUERIES) : benchSearch()),
  http: async () => [...(await benchHttp()), ...(await benchAskedPages())],
  mcp: (quick) => benchMcp(quick),
  delivery: (quick) => benchDelivery(quick),
} satisfies Record<string, Bench>;

const Name = z.enum(["release", "intake", "pages", "search", "http", "mcp", "delivery"]);
type Name = z.infer<typeof Name>;

const ALL: readonly Name[] = ["release", "pages", "search", "http", "mcp", "delivery"];

async function intakeLines(home: string, world: WorldOptions): Promise<BenchLine[]> {
  const figures = await benchIntake(home, world);
  const wanted = "30,000 rows/s wanted";
  return [speedLine("intake", "rows/s", figures.rowsPerSecond, figures.rawRowsPerSecond, wanted)];
}

async function inFolder<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "presence-bench-"));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface BenchOptions {
  readonly only?: string;
  readonly quick?: boolean;
  readonly json?: boolean;
  readonly here?: boolean;
  readonly observations?: number;
  readonly documents: RecordDocuments;
  readonly scale?: boolean;
  readonly keep?: boolean;
  readonly against?: string;
  readonly rounds: number;
  readonly bound: number;
}

/** A process for each bench: the memory of one does not count for the next, and no heap slows another's. */
async function inChild(
  name: Name,
  { quick, observations, documents }: BenchOptions,
): Promise<readonly BenchLine[]> {
  const size = observations === undefined ? [] : ["--observations", String(observations)];
  const how = [...(quick ? ["--quick"] : []), "--documents", documents];
  const options = ["--only", name, "--json", "--here", ...how, ...size];
  const child = spawn(process.execPath, [import.meta.filename, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const output = await text(child.stdout);
  await ended;
  if (child.exitCode !== 0) throw new Error(`the bench "${name}" ended with code ${child.exitCode}`);
  return z.array(BenchLine).parse(JSON.parse(output));
}

async function bench(options: BenchOptions): Promise<void> {
  const names = options.only === undefined ? ALL : [Name.parse(options.only)];
  if (options.scale) process.stdout.write(await scale(options));
  else if (options.against !== undefined) await compare(options.against, names, options);
  else {
    const lines = await measure(names, options);
    process.stdout.write(options.json ? `${JSON.stringify(lines)}\n` : benchTable(lines));
  }
}

/** The tables of docs/scale.md with the figures of this machine. */
async function scale(options: BenchOptions): Promise<string> {
  const observations = options.observations ?? worldOf(options).observations; // with as many records for each as at any size
  const sized = { ...options, observations };
  const point = measuredPoint(await measure(["release"], sized), worldOf(sized));
  return scaleWith(point, options.keep === true);
}

/** A record for every 50 observations. */
function worldOf({ quick, observations, documents }: BenchOptions): Measured {
  if (observations !== undefined)
    return { ...BENCH_WORLD, observations, records: Math.ceil(observations / 50), documents };
  return { ...(quick ? QUICK_WORLD : BENCH_WORLD), documents };
}

/** Exit code 1 when a line is worse than the bound. */
async function compare(ref: string, names: readonly Name[], options: BenchOptions): Promise<void> {
  const { rounds, bound, quick = false, json = false } = options;
  const report = await benchAgainst({ ref, names, rounds, bound, isQuick: quick });
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : againstText(report));
  if (report.worse.length > 0) process.exitCode = 1;
}

async function measure(names: readonly Name[], options: BenchOptions): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const name of names) {
    if (!options.here) process.stderr.write(`bench ${name} …\n`);
    const measured = options.here
      ? BENCHES[name](options.quick === true, worldOf(options))
      : inChild(name, options);
    lines.push(...(await measured));
  }
  return lines;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a whole number above 0");
}

function share(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError("must be above 0 and at most 1");
}

await new Command("bench")
  .description("measure intake, release, pages, search, serving and delivery against their limits")
  .addOption(new Option("--only <name>", "one bench only").choices(Name.options))
  .option("--quick", "with a twentieth of the data")
  .option("--json", "print the lines as JSON")
  .addOption(
    new Option("--observations <n>", "of the ledger that intake and release measure").argParser(wholeNumber),
  )
  .addOption(
    new Option("--documents <how>", "how the measured release has the documents of records")
      .choices(RecordDocuments.options)
      .argParser((text) => RecordDocuments.parse(text))
      .default(RecordDocuments.enum.files),
  )
  .option("--scale", "measure the release and print the tables of docs/scale.md with its figures")
  .option("--keep", "with --scale: write the figures and the tables into the checkout")
  .option(
    "--against <commit>",
    "run this tree and another commit in turns, and print ratios (1 is equal, less is worse)",
  )
  .addOption(new Option("--rounds <n>", "rounds of --against").argParser(wholeNumber).default(3))
  .addOption(
    new Option("--bound <ratio>", "least ratio of --against that is no failure")
      .argParser(share)
      .default(0.7),
  )
  .addOption(new Option("--here", "measure in this process").hideHelp())
  .action(bench)
  .parseAsync();
