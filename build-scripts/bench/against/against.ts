/** `npm run bench -- --against REF`: this tree and another commit in turns, so that a slower change shows on a noisy machine. */

import { join } from "node:path";
import { OtherTree, Side } from "./side.ts";
import { type Comparison, compareRounds, comparisonTable, type Round, worseLines } from "./verdict.ts";

const PROJECT = join(import.meta.dirname, "../../..");

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
