import { expect, test } from "vitest";
import { day } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { recordPlaces } from "./record-places.ts";

const FIXED = { cell: "882b9bc001fffff", observations: 4, lastObserved: day(1) };

test("fixed assets have cells, and the wide cells of mobile ones are the city", () => {
  const wide = [
    { cell: "852b9bc3fffffff", observations: 2, lastObserved: day(5) },
    { cell: "852b9bc7fffffff", observations: 1, lastObserved: day(3) },
  ];
  expect(recordPlaces(fakeContext({ recordCells: [...wide, FIXED] }), "demo_1")).toEqual({
    cells: [{ h3_cell: "882b9bc001fffff", observations: 4, last_observed: "2026-06-28" }],
    city: { observations: 3, last_observed: "2026-06-26" },
  });
});

test("a record without mobile assets, and an unknown one", () => {
  const context = fakeContext({ recordCells: [FIXED] });
  expect(recordPlaces(context, "demo_1").city).toBeNull();
  expect(recordPlaces(context, "demo_nobody")).toEqual({ cells: [], city: null });
});
