import { cellToLatLng, cellToParent } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, cityDay, count } from "../../render/words/format.ts";
import { drawing, type LegendEntry, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import {
  FIXED_RESOLUTION,
  hexagonShape,
  legendEntry,
  MOBILE_RESOLUTION,
  markedPath,
  marker,
  radiusOf,
  resolutionText,
} from "./hexagons.ts";
import { fitCells, type LocalMap, type Point } from "./local-projection.ts";
import { simpleOutlinePath } from "./outline.ts";
import { cornersPath, linePath } from "./paths.ts";
import { scaleBar } from "./scale-bar.ts";

/** Shared parts of all record maps of one city, created once per city. */
export interface CityOutline {
  readonly map: LocalMap;
  readonly path: string;
  readonly scaleBar: SafeHtml;
  readonly shapes: Readonly<Record<CellSize, readonly Point[]>>;
}

type CellSize = "fixed" | "mobile";

interface RecordCellFacts {
  readonly h3_cell: string;
  readonly resolution: number;
  readonly observations: number;
  readonly last_observed: string | null;
}

interface RecordMapFacts {
  readonly id: string;
  readonly recordName: string;
  readonly cityName: string;
  readonly outline: CityOutline | undefined; // undefined: the city has no list of cells
  readonly cells: readonly RecordCellFacts[];
}

const MARGIN = 30;
const MAX_HEIGHT = 420;
const MAX_OUTLINE = 1400; // characters
const MIN_RADIUS = 15; // smaller cells get a ring of this radius to stay visible

/** Outline and projection of a city; undefined when the city has no cells. */
export function cityOutline(cells: readonly string[]): CityOutline | undefined {
  const middle = cells[Math.floor(cells.length / 2)];
  if (middle === undefined) return undefined;
  const map = fitCells(cells, { width: WIDTH, maxHeight: MAX_HEIGHT, margin: MARGIN });
  const fixed = hexagonShape(map, middle);
  return {
    map,
    path: simpleOutlinePath(cells, map, MAX_OUTLINE),
    scaleBar: scaleBar(map.unitsPerKm, MARGIN / 2, map.height - MARGIN / 3),
    shapes: { fixed, mobile: hexagonShape(map, cellToParent(middle, MOBILE_RESOLUTION)) },
  };
}

/** Map of a record's observed cells. Cells outside the city's frame are counted in the caption, not drawn. */
export function recordMap({ id, recordName, cityName, outline, cells }: RecordMapFacts): Picture | NoPicture {
  if (cells.length === 0)
    return { sentence: `No published cell has an accepted observation of ${recordName}.` };
  if (outline === undefined)
    return { sentence: `${cityName} has no list of eligible cells, so no map is available.` };
  const { map, shapes } = outline;
  const places = cells.map((cell) => ({ ...cell, at: map.project(cellToLatLng(cell.h3_cell)) }));
  const visible = places.filter(({ at: [x, y] }) => x >= 0 && x <= map.width && y >= 0 && y <= map.height);
  const layers = SIZES.map((size) => ({
    size,
    points: visible.filter((place) => sizeOf(place) === size).map(({ at }) => at),
  })).filter(({ points }) => points.length > 0);
  const beyond = cells.length - visible.length;
  const caption = captionText(recordName, cityName, cells, beyond);
  const svg = drawing(
    {
      id,
      title: `Map of ${cityName} with the cells in which ${recordName} was observed`,
      description:
        "The line is the border of the city's eligible cells; north is up. The table lists every cell.",
      height: map.height,
      role: "img",
      kind: "map",
    },
    [
      html`<path class="ground" d="${outline.path}"/>`,
      layers.map(
        ({ size, points }) =>
          html`${marker(`${id}-${size}`, sizeMark(size, shapes[size]))}${markedPath(`${id}-${size}`, cornersPath(points))}`,
      ),
      outline.scaleBar,
    ],
  );
  const legend = layers.map(({ size }) => legendOf(size, shapes[size]));
  return { svg, caption, legend, table: table(recordName, cells) };
}

// Large cells first, so small ones are on top.
const SIZES = ["mobile", "fixed"] as const;

const SIZE_WORDS: Readonly<Record<CellSize, string>> = {
  fixed: `fixed asset: cell at resolution ${resolutionText(FIXED_RESOLUTION)}`,
  mobile: `mobile asset: cell at resolution ${resolutionText(MOBILE_RESOLUTION)}`,
};

function sizeOf({ resolution }: RecordCellFacts): CellSize {
  return resolution > MOBILE_RESOLUTION ? "fixed" : "mobile";
}

function sizeMark(size: CellSize, shape: readonly Point[]): SafeHtml {
  const cell = html`<path class="seen-${size}" d="${linePath(shape, true)}"/>`;
  return radiusOf(shape) >= MIN_RADIUS ? cell : html`${cell}<circle class="seen-ring" r="${MIN_RADIUS}"/>`;
}

function legendOf(size: CellSize, shape: readonly Point[]): LegendEntry {
  return legendEntry(
    (large) => html`<path class="seen-${size}" d="${linePath(large, true)}"/>`,
    shape,
    SIZE_WORDS[size],
  );
}

function captionText(
  recordName: string,
  cityName: string,
  cells: readonly RecordCellFacts[],
  beyond: number,
) {
  const seen = `${recordName} was observed in ${count(cells.length, "cell", "cells")} in and around ${cityName}`;
  return beyond === 0 ? `${seen}.` : `${seen}; ${count(beyond, "cell is", "cells are")} outside this map.`;
}

function table(recordName: string, cells: readonly RecordCellFacts[]) {
  return {
    caption: `Cells in which ${recordName} was observed. ${CITY_DAYS}`,
    head: ["Cell", "Resolution", "Observations", "Last observed"],
    rows: cells.map((cell) => [
      cell.h3_cell,
      resolutionText(cell.resolution),
      cell.observations,
      cityDay(cell.last_observed),
    ]),
  };
}
