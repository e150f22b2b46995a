import { expect, test } from "vitest";
import { day, fakeCity } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { CityCell } from "../../contract/cities/city.ts";
import { cityCells } from "./cities.ts";

const observed = {
  observations90d: 2,
  records90d: 1,
  observations: 5,
  lastObserved: day(2),
  weeksLooked90d: 3,
  monthsLooked: 1,
};

test("all eligible cells and all observed ones, each once, by cell", () => {
  const cells = cityCells(
    fakeContext({
      cities: [fakeCity(1, "Alpha", { cells: ["882b9bc001fffff", "882b9bc005fffff"] })],
      cellCounts: [
        { cell: "882b9bc003fffff", ...observed },
        { cell: "882b9bc005fffff", ...observed },
      ],
    }),
    "alpha",
  );
  const counts = {
    weeks_looked_90d: 3,
    months_looked: 1,
    observations_90d: 2,
    records_90d: 1,
    observations: 5,
    last_observed: "2026-06-27",
  }; // evening of that day in Ontario
  const nothing = {
    weeks_looked_90d: 0,
    months_looked: 0,
    observations_90d: 0,
    records_90d: 0,
    observations: 0,
    last_observed: null,
  };
  expect(cells).toEqual([
    { h3_cell: "882b9bc001fffff", eligible: true, ...nothing },
    { h3_cell: "882b9bc003fffff", eligible: false, ...counts },
    { h3_cell: "882b9bc005fffff", eligible: true, ...counts },
  ]);
  for (const cell of cells) expect(CityCell.safeParse(cell).error).toBeUndefined();
});

test("an unknown city has none", () => {
  expect(cityCells(fakeContext(), "nowhere")).toEqual([]);
});
