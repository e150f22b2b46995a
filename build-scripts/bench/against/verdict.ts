import { textTable } from "../../text-table.ts";
import { median } from "../load.ts";
import type { BenchLine, Measured } from "../table.ts";

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
