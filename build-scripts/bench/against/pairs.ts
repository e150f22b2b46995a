import type { BenchLine } from "../line.ts";

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
