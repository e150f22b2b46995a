import { type CoveragePoint, TIER_WORDS } from "../../contract/cities/coverage.ts";
import type { PresenceScoreResponse } from "../../contract/records/entity.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { AREAS_CHECKED } from "../../render/words/coverage.ts";
import { number, percent, score, utcDate } from "../../render/words/format.ts";
import { linePath, type Point } from "../maps/outline.ts";
import { drawing, type Frame, type NoPicture, type Picture, WIDTH } from "../picture.ts";

/** Returns axis ticks from 0 to a round number not below `largest`, in at most five equal steps. Throws RangeError for an invalid length. */
export function axisFrom0(largest: number): readonly number[] {
  if (!Number.isFinite(largest) || largest < 0)
    throw new RangeError(`${largest} cannot be drawn as a length`);
  if (largest === 0) return [0, 1];
  const step = roundStep(largest / 5);
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, at) =>
    Number((at * step).toPrecision(12)),
  );
}

/** Returns the smallest round step (…, 0.5, 1, 2, 5, 10, …) not below a step. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

export interface DatedValue {
  readonly day: string; // ISO date
  readonly value: number;
}

interface TimeChart extends Omit<Frame, "height" | "role" | "kind"> {
  readonly points: readonly DatedValue[]; // oldest first, at least two
  readonly ticks: readonly number[]; // from 0 up
  readonly tickText: (value: number) => string;
}

const HEIGHT = 330;
// Room for the largest type on a phone; see site/styles/pictures.css.
const PLOT = { left: 96, right: WIDTH - 24, top: 26, bottom: HEIGHT - 50 } as const;
/** Splits points into runs of consecutive weeks; missing weeks leave a gap. */
const MAX_GAP_MS = 8 * DAY_MS;

/** Draws weekly values as a line over an axis that starts at 0. */
export function timeChart({ points, ticks, tickText, ...frame }: TimeChart): string {
  const top = Math.max(...ticks);
  const y = (value: number) => PLOT.bottom - (value / top) * (PLOT.bottom - PLOT.top);
  const times = points.map(({ day }) => Date.parse(day));
  const first = Math.min(...times);
  const span = Math.max(...times) - first || 1;
  const x = (time: number) => PLOT.left + ((time - first) / span) * (PLOT.right - PLOT.left);
  const runs = weeksInARow(points).map((run) =>
    run.map(({ day, value }): Point => [x(Date.parse(day)), y(value)]),
  );
  return drawing({ ...frame, height: HEIGHT, role: "img", kind: "chart" }, [
    ticks.map((tick) => gridLine(Math.round(y(tick)), tickText(tick))),
    runs.map((run) => html`<path class="area" d="${area(run)}"/>`),
    html`<path class="line" d="${runs.map((run) => linePath(run)).join("")}"/>`,
    // A zero-length line with round ends is a dot.
    html`<path class="points" d="${runs
      .flat()
      .map((point) => linePath([point]))
      .join("")}"/>`,
    dayLabels(points),
  ]);
}

function weeksInARow(points: readonly DatedValue[]): DatedValue[][] {
  const runs: DatedValue[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    const time = Date.parse(point.day);
    if (time - before > MAX_GAP_MS) runs.push([]);
    runs.at(-1)?.push(point);
    before = time;
  }
  return runs;
}

function gridLine(y: number, text: string): SafeHtml {
  return html`<path class="grid" d="M${PLOT.left} ${y}H${PLOT.right}"/><text class="label" x="${PLOT.left - 10}" y="${y}" dy=".35em" text-anchor="end">${text}</text>`;
}

function area(run: readonly Point[]): string {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return "";
  return linePath([[first[0], PLOT.bottom], ...run, [last[0], PLOT.bottom]], true);
}

function dayLabels(points: readonly DatedValue[]): SafeHtml[] {
  const label = (day: string | undefined, x: number, anchor: string) =>
    html`<text class="label" x="${x}" y="${HEIGHT - 14}" text-anchor="${anchor}">${day === undefined ? "" : utcDate(day)}</text>`;
  return [label(points[0]?.day, PLOT.left, "start"), label(points.at(-1)?.day, PLOT.right, "end")];
}

type HistoryPoint = PresenceScoreResponse["history"][number];

interface ScoreHistoryFacts {
  readonly id: string;
  readonly name: string;
  readonly points: readonly HistoryPoint[]; // oldest first
}

const TICKS = [0, 25, 50, 75, 100];

/** Chart of a record's score by week, from 0 to 100; a sentence for fewer than two weeks. */
export function scoreHistory({ id, name, points }: ScoreHistoryFacts): Picture | NoPicture {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return { sentence: `${name} has no weekly score yet.` };
  if (points.length < 2)
    return {
      sentence: `${name} has one weekly score so far: ${score(last.pps)} on ${utcDate(last.date)}.`,
    };
  const caption = `Score of ${name} at the end of each week: ${score(first.pps)} on ${utcDate(first.date)}, ${score(last.pps)} on ${utcDate(last.date)}.`;
  const svg = timeChart({
    id,
    title: `Weekly score of ${name} over ${points.length} weeks`,
    description: `Line chart from 0 to 100, where 50 is the middle of the city's ranked records. Weeks without a score leave a gap. ${caption}`,
    points: points.map(({ date, pps }) => ({ day: date, value: pps })),
    ticks: TICKS,
    tickText: String,
  });
  return { svg, caption, legend: [], table: historyTable(name, points) };
}

function historyTable(name: string, points: readonly HistoryPoint[]) {
  return {
    caption: `Score of ${name} at the end of each week`,
    head: ["Week ending", "Score", "Observations in the previous 30 days"],
    rows: points.map(({ date, pps, observation_count_30d }) => [
      utcDate(date),
      score(pps),
      observation_count_30d ?? "not known",
    ]),
  };
}

interface CoverageTrendFacts {
  readonly id: string;
  readonly cityName: string;
  readonly points: readonly CoveragePoint[]; // oldest first
}

/** Chart of the share of a city's areas checked in 90 days, by week; a sentence for fewer than two weeks. */
export function coverageTrend({ id, cityName, points }: CoverageTrendFacts): Picture | NoPicture {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined)
    return { sentence: `${cityName} has no finished week of coverage yet.` };
  if (points.length < 2)
    return {
      sentence: `${cityName} has one week of coverage so far: ${percent(last.cell_coverage_ratio_90d)} of its areas were checked in the 90 days up to ${utcDate(last.day)}.`,
    };
  const values = points.map((point) => ({ day: point.day, value: 100 * point.cell_coverage_ratio_90d }));
  const ticks = axisFrom0(Math.max(...values.map(({ value }) => value)));
  const caption = `Share of the areas of ${cityName} that were checked in the previous 90 days: ${percent(first.cell_coverage_ratio_90d)} on ${utcDate(first.day)}, ${percent(last.cell_coverage_ratio_90d)} on ${utcDate(last.day)}.`;
  const svg = timeChart({
    id,
    title: `Weekly coverage of ${cityName} over ${points.length} weeks`,
    description: `Line chart in percent from 0 to ${ticks.at(-1)}. ${caption}`,
    points: values,
    ticks,
    tickText: (value) => `${value} %`,
  });
  return { svg, caption, legend: [], table: trendTable(cityName, points) };
}

function trendTable(cityName: string, points: readonly CoveragePoint[]) {
  return {
    caption: `Coverage of ${cityName} at the end of each week`,
    head: ["Week ending", AREAS_CHECKED, "Share", "Coverage"],
    rows: points.map((point) => [
      utcDate(point.day),
      number(point.observed_eligible_cells_90d),
      percent(point.cell_coverage_ratio_90d),
      TIER_WORDS[point.tier],
    ]),
  };
}
