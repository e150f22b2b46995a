import { cellToBoundary, cellToLatLng, getHexagonAreaAvg, UNITS } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import type { LegendEntry } from "../picture.ts";
import type { LocalMap, Point } from "./local-projection.ts";

/** Resolution of the cells that fixed things are published with, and of the larger ones for what moves. */
export const FIXED_RESOLUTION = 8;
export const MOBILE_RESOLUTION = 7;

/** The corners of a cell around its middle, in units of the map. */
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

/** What a mark means, drawn around the shape at the size of a legend. */
export function legendEntry(
  mark: (shape: readonly Point[]) => SafeHtml,
  shape: readonly Point[],
  meaning: string,
): LegendEntry {
  const drawn = mark(scaled(shape, 110 / radiusOf(shape)));
  return { mark: html`<g transform="translate(12 12) scale(.1)">${drawn}</g>`, meaning };
}

export function radiusOf(shape: readonly Point[]): number {
  return Math.max(...shape.map(([x, y]) => Math.hypot(x, y)));
}

/** A shape to be set at the corners of a path: 900 hexagons are then 900 short pairs of numbers. */
export function marker(id: string, content: SafeHtml): SafeHtml {
  return html`<marker id="${id}" markerUnits="userSpaceOnUse" overflow="visible">${content}</marker>`;
}

/** A path whose corners carry the marker. */
export function markedPath(markerId: string, path: string): SafeHtml {
  return html`<path class="marked" marker-start="url(#${markerId})" marker-mid="url(#${markerId})" d="${path}"/>`;
}

const RESOLUTION_TEXTS = new Map(
  [FIXED_RESOLUTION, MOBILE_RESOLUTION].map((resolution) => {
    const km2 = getHexagonAreaAvg(resolution, UNITS.km2).toFixed(1);
    return [resolution, `${resolution} (about ${km2} km²)`];
  }),
);

/** `8 (about 0.7 km²)`: cells differ in size by place, so this is the average of the world. */
export function resolutionText(resolution: number): string {
  return RESOLUTION_TEXTS.get(resolution) ?? String(resolution);
}
