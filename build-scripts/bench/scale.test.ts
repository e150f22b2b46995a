import { describe, expect, test } from "vitest";
import {
  COSTS,
  type Cost,
  coefficients,
  costAt,
  keptPoints,
  lineKey,
  measuredPoint,
  type ScalePoint,
  scaleTable,
  shownTable,
  withPoint,
} from "./scale.ts";
import { amountLine, boundLine, speedLine } from "./table.ts";

const TIME: Cost = { what: "time", line: "build of # rows" };
const SPEED: Cost = { what: "intake", line: "intake", isSpeed: true };
const point = (
  observations: number,
  ...figures: [line: string, value: number, unit: string][]
): ScalePoint => ({
  date: "2026-11-25",
  machine: "a machine",
  observations,
  records: observations / 50,
  coefficients: figures.map(([line, value, unit]) => ({ line, value, unit })),
});
const timed = (observations: number, seconds: number) => point(observations, [TIME.line, seconds, "s"]);

test("docs/scale.md shows the tables of the kept coefficients", () => {
  expect(shownTable()).toBe(`\n${scaleTable(keptPoints())}\n`);
});

describe("a cost", () => {
  test("is what was measured at that size", () => {
    expect(costAt(TIME, [timed(100, 7)], 100)).toEqual({ value: 7, unit: "s", isMeasured: true });
  });

  test("elsewhere is projected by the line through the two largest sizes", () => {
    const points = [timed(1, 500), timed(100, 10), timed(200, 30)];
    expect(costAt(TIME, points, 1000)).toEqual({ value: 190, unit: "s", isMeasured: false });
    expect(costAt(TIME, points, 150)?.value).toBe(20);
  });

  test("is projected in proportion from a single size, and never below nothing", () => {
    expect(costAt(TIME, [timed(100, 10)], 1000)?.value).toBe(100);
    expect(costAt(TIME, [timed(100, 10), timed(200, 30)], 1)?.value).toBe(0);
    expect(costAt(TIME, [timed(100, 30), timed(200, 10)], 1000)?.value).toBe(10);
  });

  test("of a speed is the time for all observations", () => {
    expect(costAt(SPEED, [point(1000, ["intake", 50, "rows/s"])], 1000)).toMatchObject({
      value: 20,
      unit: "s",
    });
  });

  test("that no size has is unknown", () => {
    expect(costAt(TIME, [point(100, ["intake", 50, "rows/s"])], 100)).toBeUndefined();
    expect(costAt(TIME, [], 100)).toBeUndefined();
  });
});

test("the table tells what was measured from what was not", () => {
  const [cost] = COSTS.slice(1);
  const row = scaleTable([point(1e6, [cost?.line ?? "", 131, "s"])])
    .split("\n")
    .find((line) => line.includes("nothing: time"));
  expect(row).toBe(
    "| release from nothing: time | 2.2 min | projected 22 min | projected 3.6 h | projected 36 h | `release of # rows, # records: time` |",
  );
  expect(scaleTable([])).toContain("| not measured |");
});

test("coefficients are the wanted lines that have a number, whatever numbers their names have", () => {
  const lines = [
    boundLine("build of 1,000,000 rows", "s", 131.23456, 120),
    speedLine("intake", "rows/s", 26_723, 99_000),
    amountLine("another", "files", 3),
  ];
  expect(coefficients(lines, [TIME.line, "absent"])).toEqual([{ line: TIME.line, value: 131.23, unit: "s" }]);
  expect(lineKey("night of 10,000 new rows: time")).toBe("night of # new rows: time");
});

test("a size measured anew takes the place of its earlier point", () => {
  const points = withPoint([timed(100, 7), timed(300, 9)], timed(200, 8));
  expect(points.map(({ observations }) => observations)).toEqual([100, 200, 300]);
  expect(withPoint(points, timed(200, 5))).toContainEqual(timed(200, 5));
  expect(withPoint(points, timed(200, 5))).toHaveLength(3);
});

test("a measured point keeps its size and machine", () => {
  const lines = [speedLine("intake", "rows/s", 26_723, 99_000)];
  const measured = measuredPoint(lines, { observations: 50_000, records: 2000 });
  expect(measured).toMatchObject({ observations: 50_000, records: 2000 });
  expect(measured.coefficients).toEqual([{ line: "intake", value: 26_723, unit: "rows/s" }]);
});
