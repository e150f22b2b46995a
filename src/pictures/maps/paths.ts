/** SVG path data in whole units, relative to the previous rounded point, so rounding errors do not add up. */

import type { Point } from "./local-projection.ts";

/** Line through the points, optionally closed. Points that coincide after rounding are drawn once. */
export function linePath(points: readonly Point[], isClosed = false): string {
  const [first, ...rest] = distinct(points);
  if (first === undefined) return "";
  const end = isClosed ? "z" : "";
  return `M${pair(first[0], first[1])}${rest.length > 0 ? `l${steps([first, ...rest])}` : "h0"}${end}`;
}

/**
 * A path with each point as a corner, for markers at its start and corners (`marker-start`, `marker-mid`). The last point is
 * repeated, because the end has no marker.
 */
export function cornersPath(points: readonly Point[]): string {
  const rounded = points.map(whole);
  const [first] = rounded;
  if (first === undefined) return "";
  return `M${pair(first[0], first[1])}${rounded.length > 1 ? `l${steps(rounded)}` : ""}h0`;
}

export function whole([x, y]: Point): Point {
  // -0 would be written as 0 but compare unequal in tests.
  return [Math.round(x) + 0, Math.round(y) + 0];
}

function distinct(points: readonly Point[]): Point[] {
  const rounded = points.map(whole);
  return rounded.filter(([x, y], at) => {
    const before = rounded[at - 1];
    return before === undefined || before[0] !== x || before[1] !== y;
  });
}

/** Steps from each point to the next: `3 4-5 6`. */
function steps(points: readonly Point[]): string {
  let text = "";
  for (const [at, [x, y]] of points.entries()) {
    const before = points[at - 1];
    if (before !== undefined) text = joined(text, pair(x - before[0], y - before[1]));
  }
  return text;
}

function pair(x: number, y: number): string {
  return joined(String(x), String(y));
}

// A minus sign is itself a separator.
function joined(before: string, after: string): string {
  return before === "" || after.startsWith("-") ? before + after : `${before} ${after}`;
}
