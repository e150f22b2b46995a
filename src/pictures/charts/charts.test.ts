import fc from "fast-check";
import { expect, test } from "vitest";
import { HOSTILE, svgFaults } from "../../../tests/support/pages/svg.ts";
import { ScorePart } from "../../contract/records/entity.ts";
import { DAY_MS, dayText, isoDate } from "../../kernel/time.ts";
import type { NoPicture, Picture } from "../picture.ts";
import { barChart, componentBars } from "./bar-chart.ts";
import { axisFrom0, coverageTrend, scoreHistory } from "./time-chart.ts";

function svgOf(picture: Picture | NoPicture): string {
  if ("sentence" in picture) throw new Error(picture.sentence);
  return picture.svg;
}

const week = (at: number) => isoDate(Date.UTC(2026, 0, 4) + 7 * DAY_MS * at);
const ratio = fc.double({ min: 0, max: 1, noNaN: true });

function trend(ratios: readonly number[]) {
  const points = ratios.map((each, at) => ({
    day: week(at),
    observed_eligible_cells_90d: at,
    cell_coverage_ratio_90d: each,
    tier: "seed" as const,
  }));
  return coverageTrend({ id: "trend", cityName: "Guelph", points });
}

function history(weeks: readonly number[]) {
  const points = weeks.map((at) => ({
    date: week(at),
    pps: 50 + at,
    observation_count_30d: at === 0 ? null : at,
  }));
  return scoreHistory({ id: "history", name: "Baker", points });
}

test("fewer than two weeks are a sentence, which says the number there is", () => {
  expect(trend([])).toEqual({ sentence: "Guelph has no finished week of coverage yet." });
  expect(trend([0.111])).toHaveProperty("sentence", expect.stringContaining("11.1\u00a0%"));
  expect(history([])).toHaveProperty("sentence");
  expect(history([3])).toHaveProperty("sentence", expect.stringContaining(`53.00 on ${dayText(week(3))}`));
});

test("the trend has a point for each row of its table, over an axis from 0", () => {
  const picture = trend([0, 0.05, 0.1]);
  expect(svgOf(picture)).toMatch(/class="points" d="M96 280h0M356 \d+h0M616 26h0"/);
  expect("table" in picture && picture.table.rows.map(([, , share]) => share)).toEqual([
    "0.0\u00a0%",
    "5.0\u00a0%",
    "10.0\u00a0%",
  ]);
});

test("weeks without a score leave a gap in the line", () => {
  const line = (weeks: number[]) =>
    /class="line" d="([^"]*)"/.exec(svgOf(history(weeks)))?.[1]?.match(/M/g)?.length;
  expect(line([0, 1, 2, 3])).toBe(1);
  expect(line([0, 1, 3, 4])).toBe(2);
});

test("whatever the shares, the trend is whole", () => {
  fc.assert(
    fc.property(fc.array(ratio, { minLength: 2, maxLength: 26 }), (ratios) => {
      expect(svgFaults(svgOf(trend(ratios)))).toEqual([]);
    }),
  );
});

test("the axis ends at or above the largest value, in at most five steps", () => {
  expect(axisFrom0(0)).toEqual([0, 1]);
  expect(axisFrom0(11.9)).toEqual([0, 5, 10, 15]);
  expect(axisFrom0(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(() => axisFrom0(Number.NaN)).toThrow("NaN cannot be drawn as a length");
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (largest) => {
      const ticks = axisFrom0(largest);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-8));
      expect(ticks.length).toBeLessThanOrEqual(6);
    }),
  );
});

test("filled lengths of the parts are in the proportion of their points", () => {
  const parts = ScorePart.options.map((key, at) => {
    const weight = [0.25, 0.3, 0.1, 0.1, 0.25][at] ?? 0;
    return { key, value: 0.5, weight, points: 50 * weight };
  });
  const picture = componentBars({ id: "parts", name: "Baker", components: { raw_score: 50, parts } });
  const svg = svgOf(picture);
  const widths = (kind: string) =>
    [...svg.matchAll(new RegExp(`class="${kind}" d="M\\d+ \\d+h(\\d+)`, "g"))].map(([, width]) =>
      Number(width),
    );
  expect(widths("track")).toEqual([503, 604, 201, 201, 503]);
  expect(widths("bar")).toEqual([252, 302, 101, 101, 252]);
  expect("table" in picture && picture.table.rows[0]?.slice(2)).toEqual(["0.500", "25.0\u00a0%", "12.50"]);
  expect(
    componentBars({ id: "parts", name: "Baker", components: { raw_score: 0, parts: [] } }),
  ).toHaveProperty("sentence");
});

test("bars: zero has no length, long names are cut with … and whole in the table", () => {
  const long = "Manufacture of other special-purpose machinery and of quite a few further things";
  const picture = barChart({
    id: "bars",
    title: "Records by industry",
    unit: "Records",
    rows: [
      { label: long, value: 8 },
      { label: "None", value: 0, note: "of the last year" },
    ],
  });
  const svg = svgOf(picture);
  expect(svg).toMatch(/…<\/text>/);
  expect(svg).toContain(`<title>${long}</title>`);
  expect(svg).toContain("h0v20h0z");
  expect("table" in picture && picture.table.rows).toEqual([
    [long, 8, ""],
    ["None", 0, "of the last year"],
  ]);
});

test("bars of nothing are a sentence; what is no length is refused by name", () => {
  const chart = (value: number) =>
    barChart({ id: "b", title: "T", unit: "u", rows: [{ label: "Baker", value }] });
  expect(barChart({ id: "b", title: "Requests", unit: "u", rows: [] })).toEqual({
    sentence: "Requests: no data.",
  });
  expect(svgFaults(svgOf(chart(0)))).toEqual([]);
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => chart(wrong)).toThrow(`Baker: ${wrong} cannot be drawn as a bar`);
});

test("whatever names and values there are, bars are whole", () => {
  const row = fc.record({
    label: fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme", maxLength: 90 })),
    value: fc.double({ min: 0, max: 1e12, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (rows) => {
      const svg = svgOf(barChart({ id: "b", title: "T", unit: "u", rows }));
      expect(svgFaults(svg)).toEqual([]);
      expect(svg.match(/class="bar"/g)).toHaveLength(rows.length);
    }),
    { numRuns: 60 },
  );
});

test("parts of a whole are drawn out of the whole, and more than that is refused", () => {
  const facts = { id: "p", title: "Share", unit: "%", whole: 100 };
  const picture = barChart({ ...facts, rows: [{ label: "a", value: 25 }] });
  if (!("svg" in picture)) throw new Error(picture.sentence);
  const [track, bar] = [...picture.svg.matchAll(/h(\d+)v20/g)].map(([, width]) => Number(width));
  expect(bar).toBe(Math.round((track ?? 0) / 4));
  expect(() => barChart({ ...facts, rows: [{ label: "a", value: 101 }] })).toThrow(RangeError);
});
