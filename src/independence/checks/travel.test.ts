import { describe, expect, test } from "vitest";
import {
  LAST_DAY,
  placeAt,
  registryOf,
  START,
  TraceBook,
} from "../../../tests/support/independence/traces.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import { judge } from "../judge.ts";
import { impossibleTravel, type Sighting } from "./travel.ts";

describe("travel", () => {
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
    const walk = Array.from({ length: 20 }, (_, index) =>
      sighting(index, index, index === misplaced ? 60 : 0),
    );
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
});

describe("co travel", () => {
  const MINUTE_MS = 60_000;
  const STOPS = 10;

  /** One walk with several devices: stops 300 meters apart, and a device enters each in the given order. */
  function walk(book: TraceBook, day: number, devices: readonly string[], firstRecord = 0): void {
    for (let stop = 0; stop < STOPS; stop++) {
      devices.forEach((observer, place) => {
        const instant = START + day * DAY_MS + 9 * HOUR_MS + (stop * 10 + place) * MINUTE_MS;
        book.add({
          observer,
          day,
          instant,
          record: firstRecord + stop,
          asset: firstRecord + stop,
          ...placeAt(stop * 300 + place * 11.1, day),
        });
      });
    }
  }

  function countedOf(book: TraceBook, observer: string, vouched: readonly string[]): readonly number[] {
    const { setAside } = judge(book.traces, registryOf(vouched), LAST_DAY);
    return book.traces
      .filter((trace) => trace.observer === observer && !setAside.has(trace.row))
      .map(({ record }) => record);
  }

  test("of two devices on the same walks the one that enters later does not count", () => {
    const book = new TraceBook();
    for (const day of [0, 1, 2]) walk(book, day, ["a", "b"], 100 * day);
    expect(countedOf(book, "a", ["a", "b"])).toHaveLength(3 * STOPS);
    expect(countedOf(book, "b", ["a", "b"])).toEqual([]);
    const { items } = judge(book.traces, registryOf(["a", "b"]), LAST_DAY);
    expect(items.filter(({ check }) => check === "co_travel")).toMatchObject([{ observers: ["a", "b"] }]);
  });

  test("two devices that take turns count once for a record", () => {
    const book = new TraceBook();
    for (const day of [0, 1, 2, 3]) walk(book, day, day % 2 === 0 ? ["a", "b"] : ["b", "a"]);
    const counted = new Set(countedOf(book, "a", ["a", "b"]));
    expect(counted.size).toBe(STOPS);
    expect(countedOf(book, "b", ["a", "b"])).toEqual([]);
  });

  test("rows of a follower count where its leader's do not", () => {
    const book = new TraceBook();
    for (const day of [0, 1, 2]) walk(book, day, ["a", "b"]);
    expect(countedOf(book, "b", ["b"])).toHaveLength(3 * STOPS);
  });

  test("colleagues who meet in a street at times are two", () => {
    const book = new TraceBook();
    for (let day = 0; day < 10; day++) {
      const instant = START + day * DAY_MS + 9 * HOUR_MS;
      book.add({ observer: "a", day, instant, ...placeAt(day * 500, 0) });
      book.add({ observer: "b", day, instant: instant + MINUTE_MS, ...placeAt(day * 500, 30) });
      for (let stop = 1; stop < 6; stop++) {
        const later = instant + stop * HOUR_MS;
        book.add({ observer: "a", day, instant: later, ...placeAt(day * 500, stop * 700) });
        book.add({ observer: "b", day, instant: later, ...placeAt(day * 500, -stop * 700) });
      }
    }
    expect(judge(book.traces, registryOf(["a", "b"]), LAST_DAY).setAside.size).toBe(0);
  });

  test("a few invented rows on a usual route raise an item and set nothing of it aside", () => {
    const book = new TraceBook();
    for (let day = 0; day < 6; day++) {
      if (day < 3) walk(book, day, ["stalker"], 1000);
      walk(book, day, ["nobody", "van"]);
      for (let stop = 0; stop < 3 * STOPS; stop++) {
        const instant = START + day * DAY_MS + 14 * HOUR_MS + stop * 5 * MINUTE_MS;
        book.add({ observer: "van", day, instant, asset: 5000 + stop, ...placeAt(stop * 300, 2000 + day) });
      }
    }
    expect(countedOf(book, "van", ["van", "stalker"])).toHaveLength(6 * 4 * STOPS);
    const { items } = judge(book.traces, registryOf(["van", "stalker"]), LAST_DAY);
    expect(items.map(({ check }) => check)).toContain("co_travel");
  });
});
