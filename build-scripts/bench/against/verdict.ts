import type { BenchLine } from "../line.ts";
import { median } from "../load.ts";
import { type Paired, pairLines } from "./pairs.ts";
import { type Reading, readingOf } from "./reading.ts";

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
