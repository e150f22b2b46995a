import { DAY_MS } from "../../kernel/time.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import type { Point } from "../maps/local-projection.ts";
import { linePath } from "../maps/paths.ts";
import { drawing, type Frame, WIDTH } from "../picture.ts";

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
// Room for the largest type on a phone; see styles/pictures.css.
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
    html`<text class="label" x="${x}" y="${HEIGHT - 14}" text-anchor="${anchor}">${day}</text>`;
  return [label(points[0]?.day, PLOT.left, "start"), label(points.at(-1)?.day, PLOT.right, "end")];
}
