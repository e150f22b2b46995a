import { describe, expect, test } from "vitest";
import { fakeAsset, fakeObservation } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import type { ColumnGroup } from "../../kernel/coded-column.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { ObservationColumns } from "../../snapshot/queries/observation-columns.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { observationPagesOf } from "../../snapshot/tables/packed.ts";
import { observationWire } from "../records/observations.ts";
import { CityTablesSource } from "./city-tables.ts";

const DAYS = 500;
const A_DAY = 100;
const START = Date.UTC(2025, 0, 1);
const STATES = ["corroborated", "rejected", "provisional"] as const;
const plain = fakeSnapshot();
const [city] = plain.cities();
const [record] = plain.recordsOf(city?.slug ?? "");
if (city === undefined || record === undefined) throw new Error("the fake release has no record");

/** A city whose only record has many observations, in no order. */
const stored = Array.from({ length: DAYS * A_DAY }, (_, at) =>
  fakeObservation(at + 1, 2, {
    observedAt: START + ((at * 7) % DAYS) * DAY_MS,
    state: STATES[at % 3] ?? "rejected",
  }),
);
const pages = observationPagesOf(
  stored.map((row) => ({ ...row, ledgerHash: Buffer.from(row.ledgerHash, "hex") })),
  0,
);
const snapshot: Snapshot = {
  ...plain,
  recordsOf: () => [{ ...record, rowCount: stored.length }],
  observedTimes: () => new Map(Array.from({ length: DAYS }, (_, day) => [START + day * DAY_MS, A_DAY])),
  observationColumns(_, span) {
    const columns = new ObservationColumns([fakeAsset], () => new Map([[2, [50_001]]]));
    for (const page of pages) columns.add({ record: record.publicId, ...page }, span);
    return columns;
  },
};

function rowsOf({ rows, columns }: ColumnGroup): Record<string, unknown>[] {
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries([...columns].map(([name, { of, at }]) => [name, of[at?.[row] ?? row]])),
  );
}

test("a row of the observations is what REST answers, behind its keys", () => {
  const [group] = new CityTablesSource(snapshot, city).groups("observations");
  if (group === undefined) throw new Error("there is no group");
  const { baseUrl } = snapshot.release();
  const known = new Map(stored.map((row) => [row.id, row.id === 2 ? { ...row, changedBy: [50_001] } : row]));
  for (const { city_slug, record_public_id, ...row } of rowsOf(group)) {
    expect([city_slug, record_public_id]).toEqual([city.slug, record.publicId]);
    const of = known.get(Number(row["id"]));
    if (of === undefined) throw new Error("no observation has this id");
    expect(observationWire(of, city, baseUrl)).toMatchObject(row);
  }
});

describe.each([
  ["all rows at once", 200_000],
  ["a few passes", 15_000],
])("observations in %s", (_, rowsAtOnce) => {
  const groups = [...new CityTablesSource(snapshot, city, rowsAtOnce).groups("observations")].map((group) =>
    rowsOf(group).map(({ id, observed_at }) => ({ id, day: Date.parse(String(observed_at)) })),
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
