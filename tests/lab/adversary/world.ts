/** The world before an attack: the town, its honest observers, what they sent, in rows, and what reviewers said of drawn samples. */

import { cellToParent, latLngToCell } from "h3-js";
import { DAY_MS } from "../../../src/kernel/time.ts";
import { Chance } from "./chance.ts";
import { honestLines, type Line, MISREAD_IDS_FROM, makeObservers, type Observer } from "./fleet.ts";
import { DAYS, makeTown, START, type Town } from "./town.ts";

/** A line as a ledger row. Rows of a day of receipt are numbered in a shuffled order. */
export interface Row extends Line {
  readonly row: number;
  /** H3 cells of the exact place: of resolution 8, and as published. */
  readonly cell: string;
  readonly publishedCell: string;
  readonly review: Review | undefined;
}

export interface Review {
  readonly verdict: "verified" | "rejected";
  readonly at: number; // ms
}

export interface World {
  readonly seed: number;
  readonly town: Town;
  readonly observers: readonly Observer[];
  readonly rows: readonly Row[]; // by number
  readonly rowsByDay: ReadonlyMap<number, number>; // day of receipt to count
}

/** Rows that reviewers draw from each day of receipt. */
export const DRAWN_A_DAY = 2;
const FIRST_UTC_DAY = Math.floor(START / DAY_MS);
const ROWS_OF_A_DAY = 1_000_000;
const GAP = 100; // between rows of the world, for those of an attack

export function makeWorld(seed: number): World {
  const chance = new Chance(seed);
  const town = makeTown(chance);
  const observers = makeObservers(chance);
  return worldOf(seed, chance, town, observers, honestLines(chance, town, observers));
}

/** Numbers the lines and draws what reviewers look at. */
export function worldOf(
  seed: number,
  chance: Chance,
  town: Town,
  observers: readonly Observer[],
  lines: readonly Line[],
): World {
  const days = Map.groupBy(lines, ({ receivedAt }) => dayOf(receivedAt));
  days.delete(DAYS); // received after the end
  const rows = [...days].flatMap(([day, ofDay]) => {
    const shuffled = chance.shuffled(ofDay);
    const drawn = new Set(chance.some(shuffled, DRAWN_A_DAY));
    return shuffled.map(
      (line, at): Row => ({
        ...placed(line),
        row: firstRowOf(day) + GAP * at,
        review: drawn.has(line) ? reviewOf(chance, line, line.record < MISREAD_IDS_FROM) : undefined,
      }),
    );
  });
  rows.sort((a, b) => a.row - b.row);
  return {
    seed,
    town,
    observers,
    rows,
    rowsByDay: new Map([...days].map(([day, lines]) => [day, lines.length])),
  };
}

/** Rows for the lines of an attack, between those of the world. Reviewers draw them like all others and believe some. */
export function attackRows(chance: Chance, world: World, lines: readonly Line[], believed: number): Row[] {
  const used = new Set<number>();
  const days = Map.groupBy(lines, ({ receivedAt }) => Math.min(DAYS - 1, dayOf(receivedAt)));
  return [...days].flatMap(([day, ofDay]) => {
    const drawn = DRAWN_A_DAY / (ofDay.length + (world.rowsByDay.get(day) ?? 0));
    const last = GAP * Math.max(ofDay.length, world.rowsByDay.get(day) ?? 0);
    return ofDay.map((line): Row => {
      let row: number;
      do row = firstRowOf(day) + chance.whole(0, last);
      while (row % GAP === 0 || used.has(row));
      used.add(row);
      return {
        ...placed(line),
        row,
        review: chance.is(drawn) ? reviewOf(chance, line, chance.is(believed)) : undefined,
      };
    });
  });
}

function placed(line: Line): Line & Pick<Row, "cell" | "publishedCell"> {
  const cell = latLngToCell(line.lat, line.lng, 8);
  return { ...line, cell, publishedCell: line.assetType === "vehicle_wrap" ? cellToParent(cell, 5) : cell };
}

/** UTC day of the simulation: 0 is the first. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS) - FIRST_UTC_DAY;
}

function firstRowOf(day: number): number {
  return (day + 1) * ROWS_OF_A_DAY;
}

function reviewOf(chance: Chance, { receivedAt }: Line, isRight: boolean): Review {
  return {
    verdict: isRight ? "verified" : "rejected",
    at: receivedAt + Math.floor(chance.within(0.5, 3) * DAY_MS),
  };
}
