import { cellToLatLng } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import { CELL_CLASSES, type CellFacts, cellClass, classMark, outsideMark } from "./cell-marks.ts";
import { hexagonShape, markedPath, marker, scaled } from "./hexagons.ts";
import type { LocalMap, Point } from "./local-projection.ts";
import { outlinePath } from "./outline.ts";
import { cornersPath } from "./paths.ts";

const FINE = 10; // steps within a unit of the drawing, so that whole numbers are exact enough

/**
 * Draws a city's cells, one path per class, within the border of the eligible cells. All hexagons use the shape of the middle
 * cell of the list, because cells of one city differ by less than a line width.
 */
export function cellLayers(id: string, cells: readonly CellFacts[], map: LocalMap) {
  const middle = cells[Math.floor(cells.length / 2)];
  const shape = middle === undefined ? [] : scaled(hexagonShape(map, middle.h3_cell), FINE);
  const layer = (name: string, mark: SafeHtml, drawn: readonly CellFacts[]) =>
    drawn.length > 0 &&
    html`${marker(`${id}-${name}`, mark)}${markedPath(`${id}-${name}`, cornersPath(centres(drawn, map)))}`;
  const classes = CELL_CLASSES.map((kind) =>
    layer(
      kind,
      classMark(kind, shape),
      cells.filter((cell) => cellClass(cell) === kind),
    ),
  );
  const outside = cells.filter(({ eligible }) => !eligible);
  const eligible = cells.filter((cell) => cell.eligible).map(({ h3_cell }) => h3_cell);
  const border = html`<path class="outline" d="${outlinePath(eligible, map, FINE)}"/>`;
  return {
    layers: html`<g transform="scale(${1 / FINE})">${border}${classes}${layer("outside", outsideMark(shape), outside)}</g>`,
    shape, // of a hexagon
    hasOutside: outside.length > 0,
  };
}

function centres(cells: readonly CellFacts[], map: LocalMap): Point[] {
  return cells.map(({ h3_cell }) => {
    const [x, y] = map.project(cellToLatLng(h3_cell));
    return [x * FINE, y * FINE];
  });
}
