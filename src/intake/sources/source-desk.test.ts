import { expect, test } from "vitest";
import { DAY_MS } from "../../kernel/time.ts";
import { silentSources } from "./source-desk.ts";

const START = Date.UTC(2026, 4, 1);
const day = (number: number) => START + number * DAY_MS;
const source = (id: string, state: "active" | "suspended" = "active") => ({
  id,
  state,
  registeredAt: day(0),
});

test("active sources without a line for so many days, the longest silence first", () => {
  const sources = [source("a"), source("b"), source("never"), source("off", "suspended")];
  const last = {
    since: day(2),
    days: new Map([
      ["a", day(9)],
      ["b", day(3)],
    ]),
  };
  const found = (at: number) => silentSources(sources, last, { now: day(at) + DAY_MS / 2, days: 7 });
  expect(found(9)).toEqual([{ id: "never", days: 7 }]);
  expect(found(16)).toEqual([
    { id: "never", days: 14 },
    { id: "b", days: 13 },
    { id: "a", days: 7 },
  ]);
});

test("nothing is known of a time without batches", () => {
  expect(silentSources([source("a")], { since: null, days: new Map() }, { now: day(99), days: 7 })).toEqual(
    [],
  );
});
