import { expect, test } from "vitest";
import { placeAt } from "../../../tests/support/independence/traces.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { impossibleTravel, type Sighting } from "./travel.ts";

const MINUTE_MS = 60_000;

function sighting(row: number, minutes: number, northKm: number): Sighting {
  return { row, instant: minutes * MINUTE_MS, ...placeAt(northKm * 1000, 0) };
}

const rowsOf = (sightings: readonly Sighting[]) => impossibleTravel(sightings).map(({ row }) => row);

test("a drive at highway speed is possible, within the accuracy of a position", () => {
  const drive = Array.from({ length: 50 }, (_, index) => sighting(index, index, index * 2));
  expect(rowsOf(drive)).toEqual([]);
  expect(rowsOf([sighting(1, 0, 0), sighting(2, 0, 0.9)])).toEqual([]);
});

test.each([0, 5, 19])("one misplaced row costs itself alone, at position %i", (misplaced) => {
  const walk = Array.from({ length: 20 }, (_, index) => sighting(index, index, index === misplaced ? 60 : 0));
  expect(rowsOf(walk)).toEqual([misplaced]);
});

test("a device reported at two places by turns counts at the one where it was seen first", () => {
  const both = Array.from({ length: 20 }, (_, index) => sighting(index, index, (index % 2) * 60));
  expect(rowsOf(both)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
});

test("two long stays that exclude each other do not both count", () => {
  const first = Array.from({ length: 40 }, (_, index) => sighting(index, index, 0));
  const second = Array.from({ length: 50 }, (_, index) => sighting(100 + index, 40 + index, 500));
  const dropped = new Set(rowsOf([...first, ...second]));
  expect(first.every(({ row }) => dropped.has(row))).toBe(true);
  expect(second.some(({ row }) => dropped.has(row))).toBe(false);
});

test("a flight is possible, and faster ones are not", () => {
  const there = (hours: number) => ({ row: 2, instant: hours * HOUR_MS, ...placeAt(3_000_000, 0) });
  expect(rowsOf([sighting(1, 0, 0), there(5.5)])).toEqual([]);
  expect(rowsOf([sighting(1, 0, 0), there(5)])).toEqual([2]);
});
