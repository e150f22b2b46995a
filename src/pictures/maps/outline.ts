import { cellsToMultiPolygon, cellToBoundary, cellToLatLng } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import { WIDTH } from "../picture.ts";

/** SVG path data in whole units, relative to the previous rounded point, so rounding errors do not add up. */

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

export type Point = readonly [x: number, y: number];
export type LatLng = readonly [lat: number, lng: number];

/** A map of a small part of the world, north up. */
export interface LocalMap {
  readonly width: number;
  readonly height: number;
  readonly unitsPerKm: number;
  project(place: LatLng): Point;
}

const KM_PER_DEGREE = 111.32;
const MIN_HEIGHT_SHARE = 0.5; // of the width; a flatter map would be hard to read

interface Room {
  readonly width: number;
  readonly maxHeight: number;
  readonly margin: number;
}

/**
 * The largest equirectangular map (degrees of longitude shortened by the cosine of the middle latitude) that shows all cells
 * within its margin. Throws RangeError without cells.
 */
export function fitCells(cells: readonly string[], { width, maxHeight, margin }: Room): LocalMap {
  const [first] = cells;
  if (first === undefined) throw new RangeError("a map needs at least one cell");
  const flat = flatKm(cellToLatLng(first));
  const box = boundingBox(cells.map((cell) => flat(cellToLatLng(cell))));
  const reach = Math.max(...cellToBoundary(first).map((corner) => distance(flat(corner), [0, 0])));
  const inner = width - 2 * margin;
  const span = { x: box.right - box.left + 2 * reach, y: box.bottom - box.top + 2 * reach };
  const unitsPerKm = Math.min(inner / span.x, (maxHeight - 2 * margin) / span.y);
  const height = Math.max(Math.ceil(span.y * unitsPerKm) + 2 * margin, Math.round(width * MIN_HEIGHT_SHARE));
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  return {
    width,
    height,
    unitsPerKm,
    project(place) {
      const [x, y] = flat(place);
      return [width / 2 + (x - middle.x) * unitsPerKm, height / 2 + (y - middle.y) * unitsPerKm];
    },
  };
}

/** Kilometers east and south of a place. */
function flatKm([lat0, lng0]: LatLng): (place: LatLng) => Point {
  const kmEast = KM_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180);
  return ([lat, lng]) => {
    // The shorter way around, for towns on the 180th meridian.
    const east = ((((lng - lng0 + 180) % 360) + 360) % 360) - 180;
    return [east * kmEast, (lat0 - lat) * KM_PER_DEGREE];
  };
}

function boundingBox(points: readonly Point[]) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function distance([ax, ay]: Point, [bx, by]: Point): number {
  return Math.hypot(ax - bx, ay - by);
}

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

const LENGTHS_KM = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200];
const MAX_SHARE = 0.25; // of the picture's width

/** A scale bar of a round number of kilometers, with its left end at x and its text above. */
export function scaleBar(unitsPerKm: number, x: number, y: number): SafeHtml {
  const fitting = LENGTHS_KM.filter((km) => km * unitsPerKm <= WIDTH * MAX_SHARE);
  const km = fitting.at(-1) ?? LENGTHS_KM[0] ?? 1;
  const width = Math.round(km * unitsPerKm);
  return html`<path class="scale-bar" d="M${x} ${y - 5}v5h${width}v-5"/><text class="label" x="${x}" y="${y - 10}">${km} km</text>`;
}
