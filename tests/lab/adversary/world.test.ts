import { expect, test } from "vitest";
import { puppets } from "./attacks.ts";
import { Chance } from "./chance.ts";
import { Plot } from "./plot.ts";
import { attackRows, dayOf, makeWorld } from "./world.ts";

const world = makeWorld(3);

test("rows follow the days of receipt, and tell nothing about the time within a day", () => {
  const days = world.rows.map(({ receivedAt }) => dayOf(receivedAt));
  expect(days).toEqual(days.toSorted((a, b) => a - b));
  const ofDay = world.rows
    .filter(({ receivedAt }) => dayOf(receivedAt) === 20)
    .map(({ receivedAt }) => receivedAt);
  expect(ofDay).not.toEqual(ofDay.toSorted((a, b) => a - b));
});

test("the same seed makes the same world", () => {
  expect(makeWorld(3).rows).toEqual(world.rows);
  expect(makeWorld(4).rows).not.toEqual(world.rows);
});

test("no observer is in two places at once", () => {
  for (const rows of Map.groupBy(world.rows, ({ observer, source }) => `${source} ${observer}`).values()) {
    const ordered = rows
      .filter(({ source }) => source !== "town-gates")
      .toSorted((a, b) => a.observedAt - b.observedAt);
    ordered.slice(1).forEach((row, at) => {
      const before = ordered[at];
      if (!before) return;
      const meters = Math.hypot((row.lat - before.lat) * 111_320, (row.lng - before.lng) * 80_700);
      const seconds = (row.observedAt - before.observedAt) / 1000;
      expect(meters).toBeLessThan(250 + 20 * seconds); // noise and the width of a crossing, then 72 km/h
    });
  }
});

test("rows of an attack get numbers of their own among those of their days", () => {
  const plot = new Plot(new Chance(1), world);
  puppets(plot);
  const rows = attackRows(new Chance(2), world, plot.lines, 0.5);
  expect(rows).toHaveLength(plot.lines.length);
  const numbers = new Set([...world.rows, ...rows].map(({ row }) => row));
  expect(numbers.size).toBe(world.rows.length + rows.length);
  const ordered = [...world.rows, ...rows]
    .sort((a, b) => a.row - b.row)
    .map(({ receivedAt }) => dayOf(receivedAt));
  expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
});
