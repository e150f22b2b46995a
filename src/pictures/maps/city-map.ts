import { cellToBoundary, cellToLatLng, getHexagonAreaAvg, UNITS } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import { areasChecked } from "../../render/words/coverage.ts";
import { number } from "../../render/words/format.ts";
import { drawing, type LegendEntry, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import {
  cornersPath,
  fitCells,
  type LocalMap,
  linePath,
  outlinePath,
  type Point,
  scaleBar,
} from "./outline.ts";

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

/** `about 0.7 km²`: the worldwide average, because cell sizes vary by place. */
export function sizeText(resolution: number): string {
  return `about ${getHexagonAreaAvg(resolution, UNITS.km2).toFixed(1)} km²`;
}

/** Class of a cell. Each has its own shape, because color alone is not accessible to everyone. */
export const CELL_CLASSES = ["unseen", "earlier", "looked", "few", "some", "many"] as const;
export type CellClass = (typeof CELL_CLASSES)[number];

/** Minimum observations in 90 days for each class. */
export const STEPS = { some: 5, many: 20 } as const;

export const CELL_CLASS_WORDS: Readonly<Record<CellClass, string>> = {
  unseen: "not visited in 90 days, no sighting so far",
  earlier: "sightings, but none in the last 90 days",
  looked: "visited in 90 days, nothing seen then",
  few: `1 to ${STEPS.some - 1} sightings in 90 days`,
  some: `${STEPS.some} to ${STEPS.many - 1} sightings in 90 days`,
  many: `${STEPS.many} sightings or more in 90 days`,
};

export const OUTSIDE_WORDS = "does not count for coverage";

export interface CellFacts {
  readonly h3_cell: string;
  readonly eligible: boolean;
  readonly observations_90d: number;
  readonly observations: number;
  readonly weeks_looked_90d: number;
}

export function cellClass({ observations_90d, observations, weeks_looked_90d }: CellFacts): CellClass {
  if (observations_90d === 0 && weeks_looked_90d > 0) return "looked";
  if (observations === 0) return "unseen";
  if (observations_90d === 0) return "earlier";
  if (observations_90d < STEPS.some) return "few";
  return observations_90d < STEPS.many ? "some" : "many";
}

const GAP = 0.92; // small gap between hexagons
const INNER: Readonly<Record<"few" | "some" | "many", number>> = { few: 0.56, some: 0.74, many: 0.92 };

/** Mark of a class around the origin. More observations mean a larger mark with more contrast. */
export function classMark(kind: CellClass, shape: readonly Point[]): SafeHtml {
  const ground = html`<path class="cell" d="${linePath(scaled(shape, GAP), true)}"/>`;
  if (kind === "unseen")
    return html`${ground}<path class="cell-dot" d="${linePath(scaled(shape, 0.14), true)}"/>`;
  if (kind === "earlier") return html`${ground}<path class="cell-earlier" d="${ring(shape, 0.5, 0.3)}"/>`;
  if (kind === "looked") return html`${ground}<path class="cell-looked" d="${ring(shape, 0.8, 0.68)}"/>`;
  return html`${ground}<path class="cell-${kind}" d="${linePath(scaled(shape, INNER[kind]), true)}"/>`;
}

/** Outline around the mark of a cell that is not eligible. */
export function outsideMark(shape: readonly Point[]): SafeHtml {
  return html`<path class="cell-outside" d="${ring(shape, 1.04, 0.84)}"/>`;
}

/** A filled ring, which scales with the map, unlike a stroke. */
function ring(shape: readonly Point[], outer: number, inner: number): string {
  return linePath(scaled(shape, outer), true) + linePath(scaled(shape, inner).reverse(), true);
}

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

interface CityMapFacts {
  readonly id: string;
  readonly cityName: string;
  readonly cells: readonly CellFacts[];
}

const MARGIN = 12;
const SCALE_BAR_ROOM = 44;
const MAX_HEIGHT = 600;

/** Map of a city's visits and sightings by H3 cell at resolution 8. */
export function cityMap({ id, cityName, cells }: CityMapFacts): Picture | NoPicture {
  if (cells.length === 0)
    return { sentence: `${cityName} has no list of areas yet, so no map is available.` };
  const map = fitCells(
    cells.map(({ h3_cell }) => h3_cell),
    { width: WIDTH, maxHeight: MAX_HEIGHT, margin: MARGIN },
  );
  const { layers, shape, hasOutside } = cellLayers(id, cells, map);
  const height = map.height + SCALE_BAR_ROOM;
  const caption = `Checked in ${cityName} in the last 90 days: ${checkedText(cells)}.`;
  const svg = drawing(
    {
      id,
      title: `Map of the areas of ${cityName}`,
      description: describe(cells),
      height,
      role: "img",
      kind: "map",
    },
    [layers, scaleBar(map.unitsPerKm, MARGIN, height - MARGIN)],
  );
  return { svg, caption, legend: legend(shape, hasOutside), table: table(cityName, cells) };
}

function checkedText(cells: readonly CellFacts[]): string {
  const eligible = cells.filter((cell) => cell.eligible);
  const checked = eligible.filter(({ weeks_looked_90d }) => weeks_looked_90d > 0);
  return areasChecked({
    observed_eligible_cells_90d: checked.length,
    eligible_coverage_cells: eligible.length,
  });
}

function describe(cells: readonly CellFacts[]): string {
  const parts = CELL_CLASSES.map(
    (kind) => `${number(cells.filter((cell) => cellClass(cell) === kind).length)} ${CELL_CLASS_WORDS[kind]}`,
  );
  return `Hexagons, north is up. Areas: ${parts.join("; ")}. An area without sightings is not evidence of absence.`;
}

function legend(shape: readonly Point[], hasOutside: boolean): LegendEntry[] {
  const entries = CELL_CLASSES.map((kind) =>
    legendEntry((small) => classMark(kind, small), shape, CELL_CLASS_WORDS[kind]),
  );
  return hasOutside ? [...entries, legendEntry(outsideMark, shape, OUTSIDE_WORDS)] : entries;
}

function table(cityName: string, cells: readonly CellFacts[]) {
  const rows = CELL_CLASSES.map((kind) => {
    const all = cells.filter((cell) => cellClass(cell) === kind);
    const listed = all.filter(({ eligible }) => eligible).length;
    return [CELL_CLASS_WORDS[kind], listed, all.length - listed];
  });
  return {
    caption: `Areas of ${cityName} by visits and sightings`,
    head: ["Areas", "Count for coverage", "Do not count"],
    rows,
  };
}
