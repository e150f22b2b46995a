import { expect, test } from "vitest";
import { inTurn } from "./in-turn.ts";

test("one item of each list in turn, until the last of them ends", () => {
  expect([...inTurn([["a", "b"], [], ["x", "y", "z"]])]).toEqual([
    [0, "a"],
    [0, "x"],
    [1, "b"],
    [1, "y"],
    [2, "z"],
  ]);
  expect([...inTurn([])]).toEqual([]);
});
