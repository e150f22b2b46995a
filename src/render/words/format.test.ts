import { expect, test } from "vitest";
import { duration } from "./format.ts";

test.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [5, "5 seconds"],
  [60, "1 minute"],
  [90, "90 seconds"],
  [1800, "30 minutes"],
  [7200, "2 hours"],
  [5400, "90 minutes"],
  [86_400, "1 day"],
  [90_000, "25 hours"],
])("%i seconds are %s", (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
