/**
 * Attacks on the home cells of vans. A claim is a cell of resolution 7 or finer that at least half of the evidence names,
 * and at least three pieces of it; it is right when the van's home lies in that cell.
 */

import { cellToParent, getResolution, latLngToCell } from "h3-js";
import { type AttackLine, countLine } from "./score.ts";
import { modeOf, type Sight } from "./sight.ts";
import type { Van } from "./world.ts";

const COARSEST_HOME = 7;
const LEAST_EVIDENCE = 3;
const LEAST_SHARE = 0.5;
const NEAREST = 7;

/** The cells that speak for the home of a van, by its published rows. */
type Method = (rows: readonly Sight[]) => readonly string[];

export function homeLines(sights: readonly Sight[]): AttackLine[] {
  const vans = Map.groupBy(
    sights.filter(({ visit }) => visit.van !== undefined),
    ({ row }) => row.asset,
  );
  const fixed = sights.filter(({ visit }) => visit.van === undefined);
  const methods: Record<string, Method> = {
    "most frequent cell": (rows) => rows.map(({ row }) => row.h3_cell),
    "cell at the edges of the day": edgeCells,
    "cells of the nearest fixed rows": (rows) => rows.flatMap((sight) => nearbyCells(sight, fixed)),
  };
  return Object.entries(methods).map(([method, attack]) => {
    const found = [...vans.values()].filter((rows) =>
      isHome(rows[0]?.visit.van, claimOf(attack(rows))),
    ).length;
    return countLine({ attack: "home cells", method, tried: vans.size, found });
  });
}

function claimOf(cells: readonly string[]): string | undefined {
  const fine = cells
    .filter((cell) => getResolution(cell) >= COARSEST_HOME)
    .map((cell) => cellToParent(cell, COARSEST_HOME));
  const mode = modeOf(fine);
  return mode !== undefined && fine.length >= LEAST_EVIDENCE && mode.share >= LEAST_SHARE
    ? mode.value
    : undefined;
}

function isHome(van: Van | undefined, claim: string | undefined): boolean {
  return (
    van !== undefined &&
    claim !== undefined &&
    latLngToCell(van.home.lat, van.home.lng, COARSEST_HOME) === claim
  );
}

/** The first and the last row of each day, by row number. */
function edgeCells(rows: readonly Sight[]): string[] {
  return [...Map.groupBy(rows, ({ day }) => day).values()].flatMap((day) =>
    [day.at(0), day.at(-1)].flatMap((sight) => (sight === undefined ? [] : [sight.row.h3_cell])),
  );
}

/** A van that is driven past is near what was seen before and after it. */
function nearbyCells({ row }: Sight, fixed: readonly Sight[]): string[] {
  return fixed
    .filter((other) => other.row.city === row.city && other.row.accepted_at === row.accepted_at)
    .toSorted((a, b) => Math.abs(a.row.id - row.id) - Math.abs(b.row.id - row.id))
    .slice(0, NEAREST)
    .map((other) => other.row.h3_cell);
}
