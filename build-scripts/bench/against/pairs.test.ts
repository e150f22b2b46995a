import { expect, test } from "vitest";
import { boundLine } from "../table.ts";
import { pairLines } from "./pairs.ts";

const lines = (...names: string[]) => names.map((name) => boundLine(name, "s", 1, 2));
const paired = (here: string[], there: string[]) => {
  const { pairs, ...rest } = pairLines(lines(...here), lines(...there));
  return { pairs: pairs.map((pair) => [pair.here.name, pair.there.name]), ...rest };
};

test("lines are paired by name, in this side's order", () => {
  expect(paired(["b", "a"], ["a", "b"])).toEqual({
    pairs: [
      ["b", "b"],
      ["a", "a"],
    ],
    onlyHere: [],
    onlyThere: [],
  });
});

test("names that differ in their numbers alone are paired when one line of each side fits", () => {
  const [here, there] = ["patch, 25,230 files made", "patch, 300,000 files made"];
  expect(paired([here], [there]).pairs).toEqual([[here, there]]);
  expect(paired(["needle of 1", "needle of 2"], ["needle of 3"])).toEqual({
    pairs: [],
    onlyHere: ["needle of 1", "needle of 2"],
    onlyThere: ["needle of 3"],
  });
});

test("an equal name goes before one that differs in its numbers", () => {
  expect(paired(["needle of 1", "needle of 2"], ["needle of 2", "needle of 3"]).pairs).toEqual(
    [
      ["needle of 2", "needle of 2"],
      ["needle of 1", "needle of 3"],
    ].toReversed(),
  );
});

test("lines of one side are named", () => {
  expect(paired(["a", "new"], ["a", "old"])).toMatchObject({ onlyHere: ["new"], onlyThere: ["old"] });
});
