import { cellToBoundary, cellToLatLng } from "h3-js";

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
