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

/** The share of a city's eligible cells that were observed in 90 days, by week; a sentence for fewer than two weeks. */
export function coverageTrend({ id, cityName, points }: CoverageTrendFacts): Picture | NoPicture {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined)
    return { sentence: `No week of coverage of ${cityName} is finished yet.` };
  if (points.length < 2)
    return {
      sentence: `One week of coverage of ${cityName} is known so far: ${percent(last.cell_coverage_ratio_90d)} of the eligible cells had been observed in the 90 days up to ${last.day}.`,
    };
  const values = points.map((point) => ({ day: point.day, value: 100 * point.cell_coverage_ratio_90d }));
  const ticks = axisFrom0(Math.max(...values.map(({ value }) => value)));
  const caption = `Share of the eligible cells of ${cityName} observed in the 90 days before: ${percent(first.cell_coverage_ratio_90d)} on ${first.day}, ${percent(last.cell_coverage_ratio_90d)} on ${last.day}.`;
  const svg = timeChart({
    id,
    title: `Coverage of ${cityName} over ${points.length} ends of weeks`,
    description: `A line over an axis in per cent from 0 to ${ticks.at(-1)}. ${caption}`,
    points: values,
    ticks,
    tickText: (value) => `${value} %`,
  });
  return { svg, caption, legend: [], table: table(cityName, points) };
}

function table(cityName: string, points: readonly CoveragePoint[]) {
  return {
    caption: `Coverage of ${cityName} at the ends of weeks`,
    head: ["Week to", "Eligible cells observed in 90 days", "Share", "Tier"],
    rows: points.map((point) => [
      point.day,
      number(point.observed_eligible_cells_90d),
      percent(point.cell_coverage_ratio_90d),
      point.tier,
    ]),
  };
}
