import { expect, test } from "vitest";
import { boundLine, speedLine } from "../table.ts";
import { readingOf } from "./reading.ts";

const text = (figure: string) => readingOf({ name: "a line", figure, limit: "", ratio: "" });

test("a line's own number is read as it is", () => {
  expect(readingOf(boundLine("p50", "ms", 0.01234, 1))).toEqual({
    value: 0.01234,
    unit: "ms",
    better: "less",
    step: 0,
  });
  expect(readingOf(speedLine("intake", "rows/s", 26_723.4, 99_000))).toMatchObject({
    value: 26_723.4,
    better: "more",
  });
});

test("texts of earlier commits are read, with the step of their last digit", () => {
  expect(text("26,723 rows/s")).toEqual({ value: 26_723, unit: "rows/s", better: "more", step: 1 });
  expect(text("0.48 ms")).toEqual({ value: 0.48, unit: "ms", better: "less", step: 0.01 });
  expect(text("1817 MB")).toEqual({ value: 1817, unit: "MB", better: "less", step: 1 });
});

test("what was not measured has no reading", () => {
  expect(text("not measured")).toBeUndefined();
  expect(text("")).toBeUndefined();
});

test("both ways agree about every line of the bench's tables", () => {
  for (const line of [speedLine("s", "files/s", 4321, 9), boundLine("b", "s", 131.2, 120)]) {
    const { measured: _, ...printed } = line;
    const [number, read] = [readingOf(line), readingOf(printed)];
    expect(read).toMatchObject({ unit: number?.unit, better: number?.better });
    expect(Math.abs((read?.value ?? 0) - (number?.value ?? 0))).toBeLessThanOrEqual(0.5);
  }
});
