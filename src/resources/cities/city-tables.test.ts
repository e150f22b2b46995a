import { describe, expect, test } from "vitest";
import { fakeObservation } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { CityTablesSource } from "./city-tables.ts";

const DAYS = 500;
const A_DAY = 100;
const START = Date.UTC(2025, 0, 1);
const plain = fakeSnapshot();
const [city] = plain.cities();
const [record] = plain.recordsOf(city?.slug ?? "");
if (city === undefined || record === undefined) throw new Error("the fake release has no record");

/** A city whose only record has many observations, in no order. */
const stored = Array.from({ length: DAYS * A_DAY }, (_, at) => ({
  ...fakeObservation(at + 1, 2),
  observedAt: START + ((at * 7) % DAYS) * DAY_MS,
}));
const snapshot: Snapshot = {
  ...plain,
  recordsOf: () => [{ ...record, rowCount: stored.length }],
  storedObservationsOf: () => stored,
  observationsOfAll: ([first], { from, end }) =>
    stored
      .filter(({ observedAt }) => observedAt >= from && observedAt < end)
      .flatMap((own) => (first === undefined ? [] : [{ record: first, stored: own, row: () => own }])),
};

describe.each([
  ["all rows at once", 200_000],
  ["a few passes", 15_000],
])("observations in %s", (_, rowsAtOnce) => {
  const groups = [...new CityTablesSource(snapshot, city, rowsAtOnce).rows("observations")].map((group) =>
    Array.from(group, ({ id, observed_at }) => ({ id, day: Date.parse(String(observed_at)) })),
  );
  const rows = groups.flat();

  test("go from the oldest day to the newest, each once", () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(stored.length);
    expect(rows.length).toBe(stored.length);
    expect(rows.every(({ day }, at) => day >= (rows[at - 1]?.day ?? 0))).toBe(true);
  });

  test("stand in groups of whole days, at least 30 of them, so that any 30 days touch two", () => {
    expect(groups.length).toBeGreaterThan(1);
    const spans = groups.map((group) => [group[0]?.day ?? 0, group.at(-1)?.day ?? 0] as const);
    for (const [from, to] of spans) expect(to - from).toBeGreaterThanOrEqual(29 * DAY_MS);
    const touched = (day: number) =>
      spans.filter(([from, to]) => from < day + 30 * DAY_MS && to >= day).length;
    for (let day = 0; day <= DAYS - 30; day++) expect(touched(START + day * DAY_MS)).toBeLessThanOrEqual(2);
  });
});
