import { cellToBoundary, cellToLatLng, getHexagonAreaAvg, UNITS } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import type { LegendEntry } from "../picture.ts";
import type { LocalMap, Point } from "./local-projection.ts";

/** Corners of a cell relative to its center, in map units. */
export function hexagonShape(map: LocalMap, cell: string): Point[] {
  const [middleX, middleY] = map.project(cellToLatLng(cell));
  return cellToBoundary(cell).map((corner) => {
    const [x, y] = map.project(corner);
    return [x - middleX, y - middleY];
  });
}

export function scaled(shape: readonly Point[], factor: number): Point[] {
  return shape.map(([x, y]) => [x * factor, y * factor]);
}

/** Legend entry: the mark at legend size and its meaning. */
export function legendEntry(
  mark: (shape: readonly Point[]) => SafeHtml,
  shape: readonly Point[],
  meaning: string,
): LegendEntry {
  const content = mark(scaled(shape, 110 / radiusOf(shape)));
  return { mark: html`<g transform="translate(12 12) scale(.1)">${content}</g>`, meaning };
}

export function radiusOf(shape: readonly Point[]): number {
  return Math.max(...shape.map(([x, y]) => Math.hypot(x, y)));
}

/** A marker for the corners of a path, so 900 hexagons need only 900 short pairs of numbers. */
export function marker(id: string, content: SafeHtml): SafeHtml {
  return html`<marker id="${id}" markerUnits="userSpaceOnUse" overflow="visible">${content}</marker>`;
}

/** A path with the marker at its corners. */
export function markedPath(markerId: string, path: string): SafeHtml {
  return html`<path class="marked" marker-start="url(#${markerId})" marker-mid="url(#${markerId})" d="${path}"/>`;
}

/** `8 (about 0.7 km²)`: the worldwide average, because cell sizes vary by place. */
export function resolutionText(resolution: number): string {
  return `${resolution} (about ${getHexagonAreaAvg(resolution, UNITS.km2).toFixed(1)} km²)`;
}
