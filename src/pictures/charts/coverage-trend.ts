import type { CoveragePoint } from "../../contract/cities/coverage.ts";
import { number, percent } from "../../render/words/format.ts";
import type { NoPicture, Picture } from "../picture.ts";
import { axisFrom0 } from "./axis.ts";
import { timeChart } from "./time-chart.ts";

interface CoverageTrendFacts {
  readonly id: string;
  readonly cityName: string;
  readonly points: readonly CoveragePoint[]; // oldest first
}

/** Chart of the share of a city's eligible cells looked at in 90 days, by week; a sentence for fewer than two weeks. */
export function coverageTrend({ id, cityName, points }: CoverageTrendFacts): Picture | NoPicture {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined)
    return { sentence: `${cityName} has no finished week of coverage yet.` };
  if (points.length < 2)
    return {
      sentence: `${cityName} has one week of coverage so far: ${percent(last.cell_coverage_ratio_90d)} of the eligible cells were looked at in the 90 days up to ${last.day}.`,
    };
  const values = points.map((point) => ({ day: point.day, value: 100 * point.cell_coverage_ratio_90d }));
  const ticks = axisFrom0(Math.max(...values.map(({ value }) => value)));
  const caption = `Share of the eligible cells of ${cityName} looked at in the previous 90 days: ${percent(first.cell_coverage_ratio_90d)} on ${first.day}, ${percent(last.cell_coverage_ratio_90d)} on ${last.day}.`;
  const svg = timeChart({
    id,
    title: `Weekly coverage of ${cityName} over ${points.length} weeks`,
    description: `Line chart in percent from 0 to ${ticks.at(-1)}. ${caption}`,
    points: values,
    ticks,
    tickText: (value) => `${value} %`,
  });
  return { svg, caption, legend: [], table: table(cityName, points) };
}

function table(cityName: string, points: readonly CoveragePoint[]) {
  return {
    caption: `Coverage of ${cityName} at the end of each week`,
    head: ["Week ending", "Eligible cells looked at in 90 days", "Share", "Tier"],
    rows: points.map((point) => [
      point.day,
      number(point.observed_eligible_cells_90d),
      percent(point.cell_coverage_ratio_90d),
      point.tier,
    ]),
  };
}
