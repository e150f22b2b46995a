import type { Classifier } from "../../src/intake/matching/classify.ts";
import { feed, type MatchSet } from "./feed.ts";
import { makeTown } from "./made-town.ts";
import { type Figures, figuresOf } from "./measures.ts";
import { REAL_SETS, readRealSet } from "./real-sets.ts";

export interface MatchOptions {
  readonly only?: string;
  readonly real: string;
  readonly classifier: Classifier;
  readonly progress: (message: string) => void;
}

const TOWN_SEEDS = [1, 2];
const TOWN_BUSINESSES = 1500;

export const SET_NAMES: readonly string[] = [
  ...REAL_SETS.map(({ name }) => name),
  ...TOWN_SEEDS.map((seed) => `town ${seed}`),
];

/** Sets whose files are not at hand are skipped with a message. */
export async function measureSets({ only, real, classifier, progress }: MatchOptions): Promise<Figures[]> {
  const isAsked = ({ name }: { name: string }) => only === undefined || only === name;
  const figures: Figures[] = [];
  for (const each of REAL_SETS.filter(isAsked)) {
    const set = readRealSet(real, each, classifier);
    if (set === undefined) progress(`${each.name}: skipped, ${each.file} is not in ${real}`);
    else figures.push(await measureSet(set, classifier));
  }
  for (const seed of TOWN_SEEDS.filter((each) => isAsked({ name: `town ${each}` })))
    figures.push(await measureSet(makeTown(seed, TOWN_BUSINESSES), classifier));
  return figures;
}

export async function measureSet(set: MatchSet, classifier: Classifier): Promise<Figures> {
  return figuresOf(set.name, await feed(set, { classifier }), set.lines.length);
}
