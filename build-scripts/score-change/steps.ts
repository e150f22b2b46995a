/** The steps from the score before to the present one, each with its own formula (`npm run score-change`). */
import { type AsOf, ageInDays } from "../../src/method/numbers.ts";
import { PARAMETERS } from "../../src/method/parameters.ts";
import { rankCohort } from "../../src/method/standing/cohort.ts";
import { countable, isLasting } from "../../src/method/standing/counting.ts";
import { rankingGate } from "../../src/method/standing/gate.ts";
import { judge } from "../../src/method/standing/verification.ts";
import type { JudgedSighting, RecordFacts } from "../../src/method/types.ts";
import { sum } from "./spearman.ts";

type Form = Pick<typeof PARAMETERS.score, "weights" | "breadthScale" | "assetsScale" | "temporaryShare">;

/** The formula of `pps-2026-11.v2`. */
const BEFORE = {
  weights: { recency: 0.25, volume: 0.3, breadth: 0.1, assets: 0.1, independence: 0.25 },
  breadthScale: 3,
  assetsScale: 3,
  temporaryShare: 1,
};

/** One step from the score before to the present one. `concentration`: the rule that unranked records, until gate v4. */
export interface Step {
  readonly name: string;
  readonly concentration?: true;
  readonly everythingCounts?: true;
  readonly form: {
    readonly [K in keyof Form]: Form[K] extends number ? number : Record<keyof Form["weights"], number>;
  };
}

const { score } = PARAMETERS;
export const STEPS: readonly Step[] = [
  {
    name: "before: `pps-2026-11.v2`, every accepted row counts",
    concentration: true,
    everythingCounts: true,
    form: BEFORE,
  },
  { name: "the gate's concentration rule goes", everythingCounts: true, form: BEFORE },
  { name: "rows that are set aside do not count", form: BEFORE },
  { name: "smaller weights and scales of breadth and assets", form: { ...score, temporaryShare: 1 } },
  { name: "temporary signs count a share: `pps-2026-11.v3`", form: score },
];

export interface Scored {
  readonly raw: number;
  readonly assets: number;
  readonly pps: number | undefined; // of a ranked record
}

export function rawOf(counted: readonly JudgedSighting[], asOf: AsOf, form: Step["form"]): number {
  const lift = (sighting: JudgedSighting) => (isLasting(sighting) ? 1 : form.temporaryShare);
  const halved = ({ day }: JudgedSighting, halfLife: number) => 0.5 ** (ageInDays(day, asOf) / halfLife);
  const lifted = (seen: readonly JudgedSighting[], keyOf: (sighting: JudgedSighting) => string | number) =>
    sum([...Map.groupBy(seen, keyOf).values()].map((same) => Math.max(...same.map(lift))));
  const saturation = (amount: number, scale: number) => 1 - Math.exp(-amount / scale);
  const volume = sum(counted.map((each) => lift(each) * each.trust * halved(each, score.volumeHalfLifeDays)));
  const fine = counted.filter((each) => each.fine);
  const { weights } = form;
  return (
    100 *
    (weights.recency *
      Math.max(0, ...counted.map((each) => lift(each) * halved(each, score.recencyHalfLifeDays))) +
      weights.volume * saturation(volume, score.volumeScale) +
      weights.breadth *
        saturation(
          lifted(fine, ({ cell }) => cell),
          form.breadthScale,
        ) +
      weights.assets *
        saturation(
          lifted(counted, ({ asset }) => asset),
          form.assetsScale,
        ) +
      weights.independence *
        saturation(
          lifted(counted, ({ observer }) => observer),
          score.independenceScale,
        ))
  );
}

/** The records of a city under one step; those without any countable sighting are left out. */
export function scoresOf(records: readonly RecordFacts[], asOf: AsOf, step: Step): Map<number, Scored> {
  const assessed = records.flatMap((record) => {
    const { everythingCounts, concentration, form } = step;
    const sightings = everythingCounts
      ? judge(record.sightings.map((sighting) => ({ ...sighting, setAside: null })))
      : record.sightings;
    const counted = countable(sightings, asOf);
    if (counted.length === 0) return [];
    const { status } = rankingGate(counted, record.industry, record.flagged);
    const isEligible = status === "eligible" && !(concentration && isConcentrated(counted));
    const assets = new Set(counted.map(({ asset }) => asset)).size;
    return [{ id: record.id, raw: rawOf(counted, asOf, form), assets, isEligible }];
  });
  const cohort = rankCohort(assessed.filter(({ isEligible }) => isEligible));
  return new Map(
    assessed.map(({ id, raw, assets }) => [id, { raw, assets, pps: cohort?.results.get(id)?.pps }]),
  );
}

function isConcentrated(counted: readonly JudgedSighting[]): boolean {
  const perObserver = [...Map.groupBy(counted, ({ observer }) => observer).values()].map(
    ({ length }) => length,
  );
  return counted.length >= 10 && Math.max(...perObserver) / counted.length > 0.8;
}
