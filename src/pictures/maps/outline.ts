import { cellsToMultiPolygon } from "h3-js";
import type { LocalMap, Point } from "./local-projection.ts";
import { linePath } from "./paths.ts";

/** Path data of the combined border of all cells. */
export function outlinePath(cells: readonly string[], map: LocalMap, factor = 1): string {
  return rings(cells, map)
    .map((ring) =>
      linePath(
        ring.map(([x, y]): Point => [x * factor, y * factor]),
        true,
      ),
    )
    .join("");
}

/** Simplifies the border until its path data has at most `maxLength` characters. */
export function simpleOutlinePath(cells: readonly string[], map: LocalMap, maxLength: number): string {
  const all = rings(cells, map);
  for (let tolerance = 1; ; tolerance *= 1.5) {
    const path = all
      .filter((ring) => extent(ring) > 2 * tolerance)
      .map((ring) => linePath(simplified(ring, tolerance), true))
      .join("");
    if (path.length <= maxLength) return path;
  }
}

function rings(cells: readonly string[], map: LocalMap): Point[][] {
  return cellsToMultiPolygon([...new Set(cells)])
    .flat()
    .map((ring) => ring.map((corner) => map.project(corner)));
}

function extent(ring: readonly Point[]): number {
  const [first = [0, 0]] = ring;
  return Math.max(...ring.map((point) => Math.hypot(point[0] - first[0], point[1] - first[1])));
}

/** Ramer-Douglas-Peucker on a ring, split at its first corner and at the one farthest from it. */
function simplified(ring: readonly Point[], tolerance: number): Point[] {
  const [first] = ring;
  if (first === undefined) return [];
  const closed = [...ring, first];
  const cut = farthest(closed, first, first).at;
  return [
    ...thinned(closed.slice(0, cut + 1), tolerance).slice(0, -1),
    ...thinned(closed.slice(cut), tolerance).slice(0, -1),
  ];
}

function thinned(line: readonly Point[], tolerance: number): Point[] {
  const first = line[0];
  const last = line.at(-1);
  if (first === undefined || last === undefined || line.length < 3) return [...line];
  const { at, distance } = farthest(line, first, last);
  if (distance <= tolerance) return [first, last];
  return [...thinned(line.slice(0, at + 1), tolerance).slice(0, -1), ...thinned(line.slice(at), tolerance)];
}

function farthest(line: readonly Point[], from: Point, to: Point): { at: number; distance: number } {
  let farthest = { at: 0, distance: -1 };
  for (const [at, point] of line.entries()) {
    const distance = distanceToLine(point, from, to);
    if (distance > farthest.distance) farthest = { at, distance };
  }
  return farthest;
}

function distanceToLine([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) return Math.hypot(x - ax, y - ay);
  return Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
}
