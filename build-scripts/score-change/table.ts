/** The table of `npm run score-change`: how the records of several cities move from step to step. */
import type { AsOf } from "../../src/method/numbers.ts";
import type { RecordFacts } from "../../src/method/types.ts";
import { shares, spearman, sum } from "./spearman.ts";
import { type Scored, STEPS, scoresOf } from "./steps.ts";

/** The figures of one step in one city, against the step before it. */
interface StepFigures {
  readonly ranked: number;
  readonly entered: number; // into the ranking
  readonly left: number;
  readonly rankChanges: number; // among the records that both rankings have
  readonly shifted: number; // in the list of all records by raw score, by more than SHIFT of it
  readonly listed: number;
  readonly rankedCorrelation: number | undefined; // of pps with the number of assets
  readonly listedCorrelation: number | undefined; // of the raw score with the number of assets
}

const SHIFT = 0.05;

export const HEAD = [
  "| data | change | ranked | enter, leave | ranks that change | places that change by more than 5 % | Spearman, ranked | Spearman, all |",
  "|---|---|---|---|---|---|---|---|",
] as const;

/** One row for each step: sums over the cities, and correlations averaged by the number of their records. */
export function tableRows(data: string, cities: readonly (readonly StepFigures[])[]): string[] {
  return STEPS.map(({ name }, step) => {
    const figures = cities.flatMap((city) => city[step] ?? []);
    const total = (of: (figures: StepFigures) => number) => sum(figures.map(of));
    const cells = [
      total(({ ranked }) => ranked),
      `+${total(({ entered }) => entered)} −${total(({ left }) => left)}`,
      total(({ rankChanges }) => rankChanges),
      `${total(({ shifted }) => shifted)} of ${total(({ listed }) => listed)}`,
      weighted(figures.map(({ rankedCorrelation, ranked }) => [rankedCorrelation, ranked])),
      weighted(figures.map(({ listedCorrelation, listed }) => [listedCorrelation, listed])),
    ];
    if (step === 0) cells.splice(1, 3, "–", "–", "–");
    return `| ${[data, name, ...cells].join(" | ")} |`;
  });
}

function weighted(values: readonly (readonly [correlation: number | undefined, weight: number])[]): string {
  const known = values.flatMap(([value, weight]) => (value === undefined ? [] : [{ value, weight }]));
  if (known.length === 0) return "–";
  return (
    sum(known.map(({ value, weight }) => value * weight)) / sum(known.map(({ weight }) => weight))
  ).toFixed(2);
}

/** The figures of all steps for one city's active records. */
export function cityFigures(records: readonly RecordFacts[], asOf: AsOf): StepFigures[] {
  const steps = STEPS.map((step) => scoresOf(records, asOf, step));
  return steps.map((scores, step) => {
    const all = [...scores.values()];
    const ranked = all.filter((each) => each.pps !== undefined);
    return {
      ranked: ranked.length,
      ...moves(steps[step - 1] ?? scores, scores),
      rankedCorrelation: correlation(ranked, ({ pps }) => pps ?? 0),
      listedCorrelation: correlation(all, ({ raw }) => raw),
    };
  });
}

function correlation(scored: readonly Scored[], of: (scored: Scored) => number): number | undefined {
  return spearman(
    scored.map(of),
    scored.map(({ assets }) => assets),
  );
}

type Scores = ReadonlyMap<number, Scored>;

function moves(before: Scores, after: Scores) {
  const isRanked = (scores: Scores, id: number) => scores.get(id)?.pps !== undefined;
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const both = ids.filter((id) => isRanked(before, id) && isRanked(after, id));
  return {
    entered: ids.filter((id) => !isRanked(before, id) && isRanked(after, id)).length,
    left: ids.filter((id) => isRanked(before, id) && !isRanked(after, id)).length,
    rankChanges: changes(both, before, after, ({ pps }) => pps ?? 0, 0),
    shifted: changes(ids, before, after, ({ raw }) => raw, SHIFT),
    listed: ids.length,
  };
}

/** Records whose place among the others changes by more than `limit` of the list. */
function changes(
  ids: readonly number[],
  before: Scores,
  after: Scores,
  of: (scored: Scored) => number,
  limit: number,
): number {
  const placesIn = (scores: Scores) =>
    shares(
      ids.map((id) => {
        const scored = scores.get(id);
        return scored === undefined ? 0 : of(scored);
      }),
    );
  const now = placesIn(after);
  return placesIn(before).filter((place, index) => Math.abs(place - (now[index] ?? 0)) > limit).length;
}
