import { expect, test } from "vitest";
import { day } from "../../testing/release/fake-rows.ts";
import { fakeContext } from "../../testing/release/fake-snapshot.ts";
import { recordCells } from "./record-cells.ts";

test("each cell says how coarse it is", () => {
  const recordCellRows = [
    { cell: "872b9bc00ffffff", observations: 1, lastObserved: day(3) },
    { cell: "882b9bc001fffff", observations: 4, lastObserved: day(1) },
  ];
  expect(recordCells(fakeContext({ recordCells: recordCellRows }), "demo_1")).toEqual([
    { h3_cell: "872b9bc00ffffff", resolution: 7, observations: 1, last_observed: "2026-06-26" },
    { h3_cell: "882b9bc001fffff", resolution: 8, observations: 4, last_observed: "2026-06-28" },
  ]);
});
