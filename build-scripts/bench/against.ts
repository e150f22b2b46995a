import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { textTable } from "../text-table.ts";
import { median } from "./http.ts";
import { BenchLine, type Measured } from "./table.ts";

export interface Pair {
  readonly here: BenchLine;
  readonly there: BenchLine;
}

export interface Paired {
  readonly pairs: readonly Pair[];
  /** Names of lines that one side alone has. */
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
}

/** Lines of the same name; of the rest, those whose names differ in nothing but their numbers (“25,230 files made”). */
export function pairLines(here: readonly BenchLine[], there: readonly BenchLine[]): Paired {
  const same = pairBy((line) => line.name, here, there);
  const alike = pairBy(withoutNumbers, same.restHere, same.restThere);
  return {
    pairs: [...same.pairs, ...alike.pairs].sort((a, b) => here.indexOf(a.here) - here.indexOf(b.here)),
    onlyHere: alike.restHere.map(({ name }) => name),
    onlyThere: alike.restThere.map(({ name }) => name),
  };
}

/** Pairs lines whose key occurs once on each side. */
function pairBy(key: (line: BenchLine) => string, here: readonly BenchLine[], there: readonly BenchLine[]) {
  const known = Map.groupBy(there, key);
  const pairs = [...Map.groupBy(here, key)].flatMap(([name, [line, ...more]]) => {
    const [partner, ...others] = known.get(name) ?? [];
    if (line === undefined || partner === undefined || more.length + others.length > 0) return [];
    return [{ here: line, there: partner }];
  });
  const paired = new Set(pairs.flatMap((pair) => [pair.here, pair.there]));
  const rest = (lines: readonly BenchLine[]) => lines.filter((line) => !paired.has(line));
  return { pairs, restHere: rest(here), restThere: rest(there) };
}

function withoutNumbers({ name }: BenchLine): string {
  return name.replaceAll(/\d[\d,.]*/g, "#");
}

/** A figure that can be compared, and the smallest difference that its source shows. */
export interface Reading extends Measured {
  readonly step: number; // 0 where the figure is a number
}

const TEXT = /^([\d,]+(?:\.(\d+))?) (\S.*)$/;

/** The figure of a line; commits before `measured` printed it as text only. Undefined where nothing was measured. */
export function readingOf({ figure, measured }: BenchLine): Reading | undefined {
  if (measured !== undefined) return { ...measured, step: 0 };
  const [, digits, decimals = "", unit] = TEXT.exec(figure) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const value = Number(digits.replaceAll(",", ""));
  return { value, unit, better: unit.endsWith("/s") ? "more" : "less", step: 10 ** -decimals.length };
}

/** The lines of both sides from one round. */
export interface Round {
  readonly here: readonly BenchLine[];
  readonly there: readonly BenchLine[];
}

/** A line of both sides. */
export interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly here: number;
  readonly there: number;
  /** 1 where both are equal, below 1 where this side is worse; undefined where the figures are too small to tell. */
  readonly ratio: number | undefined;
}

export interface Comparison {
  readonly lines: readonly Compared[];
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
}

/** Steps of a printed figure below which its last digit alone would make a ratio. */
const MIN_STEPS = 20;

/** Medians of all rounds: of the figures, and of the ratios within each round, because both sides of a round had the same machine. */
export function compareRounds(rounds: readonly Round[]): Comparison {
  const paired = rounds.map(({ here, there }) => pairLines(here, there));
  const lines = Map.groupBy(paired.flatMap(readings), ({ key }) => key);
  return {
    lines: [...lines.values()].flatMap(comparedLine),
    onlyHere: namesOf(paired, ({ onlyHere }) => onlyHere),
    onlyThere: namesOf(paired, ({ onlyThere }) => onlyThere),
  };
}

/** Lines whose ratio is below the bound. */
export function worseLines({ lines }: Comparison, bound: number): Compared[] {
  return lines.filter(({ ratio }) => ratio !== undefined && ratio < bound);
}

interface ReadPair {
  readonly key: string;
  readonly name: string;
  readonly here: Reading;
  readonly there: Reading;
}

/** The pairs with a figure of the same unit on both sides, each keyed by its name without numbers that differ from round to round. */
function readings({ pairs }: Paired): ReadPair[] {
  const names = pairs.map(({ here }) => here.name.replaceAll(/\d[\d,.]*/g, "#"));
  return pairs.flatMap((pair, at) => {
    const [here, there] = [readingOf(pair.here), readingOf(pair.there)];
    if (here === undefined || there === undefined || here.unit !== there.unit) return [];
    const alike = names.slice(0, at).filter((name) => name === names[at]).length;
    return [{ key: `${names[at]} ${alike}`, name: pair.here.name, here, there }];
  });
}

function comparedLine(rounds: readonly ReadPair[]): Compared[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const ratios = rounds.map(ratioOf).filter((ratio) => ratio !== undefined);
  return [
    {
      name: first.name,
      unit: first.here.unit,
      here: median(rounds.map(({ here }) => here.value)),
      there: median(rounds.map(({ there }) => there.value)),
      ratio: ratios.length < rounds.length ? undefined : median(ratios),
    },
  ];
}

function ratioOf({ here, there }: ReadPair): number | undefined {
  const least = Math.min(here.value, there.value);
  if (least <= 0 || least < MIN_STEPS * Math.max(here.step, there.step)) return undefined;
  return here.better === "more" ? here.value / there.value : there.value / here.value;
}

function namesOf(paired: readonly Paired[], names: (each: Paired) => readonly string[]): string[] {
  return [...new Set(paired.flatMap(names))];
}

const HEAD = ["what", "here", "there", "ratio"];

/** Both sides' figures with their ratio (1 is equal, less is worse), then the lines that one side alone has. */
export function comparisonTable({ lines, onlyHere, onlyThere }: Comparison, bound: number): string {
  const rows = lines.map(({ name, unit, here, there, ratio }) => [
    name,
    figure(here, unit),
    figure(there, unit),
    ratio === undefined ? "too small to compare" : `${ratio.toFixed(2)}${ratio < bound ? "  WORSE" : ""}`,
  ]);
  return [
    textTable([HEAD, ...rows]),
    ...onlyHere.map((name) => `only here: ${name}`),
    ...onlyThere.map((name) => `only there: ${name}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Three digits that count, and whole numbers above a hundred. */
function figure(value: number, unit: string): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 6 })} ${unit}`;
}

const LOCKFILE = "package-lock.json";
const PACKAGES = "node_modules";

/** Another commit in a temporary git worktree, able to run; disposing removes it. */
export class OtherTree implements Disposable {
  readonly folder: string;
  readonly revision: string;
  /** For files of both sides' benches, removed with the tree. */
  readonly scratch: string;
  readonly #project: string;
  readonly #parent: string;

  /** Throws when the commit does not exist or its packages cannot be installed. */
  constructor(project: string, ref: string) {
    this.#project = project;
    this.revision = this.#git("rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`);
    this.#parent = mkdtempSync(join(tmpdir(), "presence-against-"));
    this.folder = join(this.#parent, "tree");
    this.scratch = join(this.#parent, "scratch");
    try {
      mkdirSync(this.scratch);
      this.#git("worktree", "add", "--quiet", "--detach", this.folder, this.revision);
      this.#installPackages();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Packages of the same lockfile are the same. */
  #installPackages(): void {
    const lockfile = (folder: string) => readFileSync(join(folder, LOCKFILE), "utf8");
    if (lockfile(this.folder) === lockfile(this.#project))
      symlinkSync(join(this.#project, PACKAGES), join(this.folder, PACKAGES));
    else run("npm", "--prefix", this.folder, "ci");
  }

  #git(...args: readonly string[]): string {
    return run("git", "-C", this.#project, "-c", "core.hooksPath=/dev/null", ...args);
  }

  /** A worktree whose folder is gone is forgotten by `prune`, also one that an earlier, killed run left. */
  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    this.#git("worktree", "prune");
  }
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** The bench of a checkout, as a process of its own. */
export class Side {
  readonly #folder: string;
  readonly #scratch: string;
  readonly #signal: AbortSignal;

  /** Everything that its benches write goes to `scratch`. The signal ends what runs. */
  constructor(folder: string, scratch: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#scratch = scratch;
    this.#signal = signal;
  }

  /** Names of its benches. */
  async names(): Promise<string[]> {
    return namesInHelp(await this.#run(["--help"]));
  }

  async lines(name: string, isQuick: boolean): Promise<BenchLine[]> {
    const output = await this.#run(["--only", name, "--json", ...(isQuick ? ["--quick"] : [])]);
    return z.array(BenchLine).parse(JSON.parse(output));
  }

  /** Standard output. Throws when the bench fails or was ended. */
  async #run(options: readonly string[]): Promise<string> {
    this.#signal.throwIfAborted();
    const child = spawn(
      "env",
      [`TMPDIR=${this.#scratch}`, "npm", "run", "--silent", "bench", "--", ...options],
      {
        cwd: this.#folder,
        stdio: ["ignore", "pipe", "inherit"],
        detached: true, // a group, so that an end reaches the servers that a bench has started
      },
    );
    const end = () => endGroup(child);
    this.#signal.addEventListener("abort", end);
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    this.#signal.removeEventListener("abort", end);
    this.#signal.throwIfAborted();
    if (child.exitCode !== 0) throw new Error(`bench ${options.join(" ")} in ${this.#folder} failed`);
    return output;
  }
}

/** The choices of `--only`. */
export function namesInHelp(help: string): string[] {
  const [, choices = ""] = /--only.*?\(choices: ([^)]*)\)/s.exec(help) ?? [];
  return Array.from(choices.matchAll(/"([^"]+)"/g), ([, name = ""]) => name);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}

/** `npm run bench -- --against REF`: this tree and another commit in turns, so that a slower change shows on a noisy machine. */

const PROJECT = join(import.meta.dirname, "../..");

export interface AgainstOptions {
  readonly ref: string;
  readonly names: readonly string[];
  readonly rounds: number;
  readonly isQuick: boolean;
  /** The least ratio that is no failure. */
  readonly bound: number;
}

/** What the comparison found, with the commit that `ref` names. */
export interface AgainstReport extends Comparison {
  readonly against: string;
  readonly rounds: number;
  readonly bound: number;
  readonly worse: readonly string[];
}

/** Ctrl-C ends the benches and removes the other tree. */
export async function benchAgainst(options: AgainstOptions): Promise<AgainstReport> {
  const interrupt = new AbortController();
  const end = () => interrupt.abort(new Error("interrupted"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  try {
    using other = new OtherTree(PROJECT, options.ref);
    const here = new Side(PROJECT, other.scratch, interrupt.signal);
    const there = new Side(other.folder, other.scratch, interrupt.signal);
    const comparison = await compareSides(here, there, options);
    const worse = worseLines(comparison, options.bound).map(({ name }) => name);
    const { rounds, bound } = options;
    return { against: other.revision, rounds, bound, worse, ...comparison };
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
  }
}

/** One bench after the other. The rounds of a bench follow one another, and the sides take turns at being first. */
async function compareSides(here: Side, there: Side, options: AgainstOptions): Promise<Comparison> {
  const known = await there.names();
  const lines: Comparison["lines"][number][] = [];
  const onlyHere: string[] = [];
  const onlyThere: string[] = [];
  for (const name of options.names) {
    if (!known.includes(name)) {
      onlyHere.push(`bench ${name}`);
      continue;
    }
    const compared = compareRounds(await benchRounds(name, here, there, options));
    lines.push(...compared.lines);
    onlyHere.push(...compared.onlyHere);
    onlyThere.push(...compared.onlyThere);
  }
  return { lines, onlyHere, onlyThere };
}

async function benchRounds(name: string, here: Side, there: Side, options: AgainstOptions): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    process.stderr.write(`bench ${name}, round ${round + 1} of ${options.rounds} …\n`);
    const measure = (side: Side) => side.lines(name, options.isQuick);
    if (round % 2 === 0) rounds.push({ here: await measure(here), there: await measure(there) });
    else rounds.push({ there: await measure(there), here: await measure(here) });
  }
  return rounds;
}

export function againstText(report: AgainstReport): string {
  const { worse, bound, rounds, against } = report;
  const verdict =
    worse.length === 0
      ? `No line is below ${bound} of ${against.slice(0, 10)} (median of ${rounds} rounds).\n`
      : `${worse.length} of ${report.lines.length} lines are below ${bound} of ${against.slice(0, 10)}.\n`;
  return `${comparisonTable(report, report.bound)}\n${verdict}`;
}
