import { expect, test } from "vitest";
import { pageSentence } from "./field-labels.ts";

test.each([
  [
    "min_percentile must be a number between 0 and 100 (got 150)",
    "Percentile must be a number between 0 and 100; you entered 150.",
  ],
  [
    'online_presence must be one of detected, none, unknown (got "x")',
    "Online presence must be one of the choices offered.",
  ],
  [
    "event_types must be one or more of stale_asset, x",
    "“Notify me when” must be one of the choices offered.",
  ],
  ["city must be passed only once", "City must be passed only once."],
  [
    "no city of that name is published; choose one of the list",
    "No city of that name is published; choose one of the list.",
  ],
  [
    "no such row: omit `about` to report anything else",
    "No such row: omit “What is it about?” to report anything else.",
  ],
  ["text that is no field", "Text that is no field."],
])("%s", (message, sentence) => {
  expect(pageSentence(message)).toBe(sentence);
});
