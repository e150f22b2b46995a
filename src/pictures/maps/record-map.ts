import { cellToLatLng } from "h3-js";
import { FIXED_RESOLUTION } from "../../contract/records/observation.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, cityDay, count } from "../../render/words/format.ts";
import { drawing, type LegendEntry, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import { hexagonShape, legendEntry, markedPath, marker, radiusOf, sizeText } from "./city-map.ts";
import {
  cornersPath,
  fitCells,
  type LocalMap,
  linePath,
  type Point,
  scaleBar,
  simpleOutlinePath,
} from "./outline.ts";

/** Shared parts of all record maps of one city, created once per city. */
export interface CityOutline {
  readonly map: LocalMap;
  readonly path: string;
  readonly scaleBar: SafeHtml;
  readonly cell: readonly Point[]; // shape of a cell
}

interface Seen {
  readonly observations: number;
  readonly last_observed: string;
}

interface RecordPlaceFacts {
  readonly cells: readonly (Seen & { readonly h3_cell: string })[]; // of fixed assets
  readonly city: Seen | null; // observations of mobile assets, whose place is the city
}

interface RecordMapFacts {
  readonly id: string;
  readonly recordName: string;
  readonly cityName: string;
  readonly outline: CityOutline | undefined; // undefined: the city has no list of cells
  readonly places: RecordPlaceFacts;
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
  return {
    map,
    path: simpleOutlinePath(cells, map, MAX_OUTLINE),
    scaleBar: scaleBar(map.unitsPerKm, MARGIN / 2, map.height - MARGIN / 3),
    cell: hexagonShape(map, middle),
  };
}

/**
 * Map of a record's observed cells; of the city alone where every asset is mobile. Cells outside the city's frame are counted in
 * the caption, not drawn.
 */
export function recordMap({
  id,
  recordName,
  cityName,
  outline,
  places,
}: RecordMapFacts): Picture | NoPicture {
  const { cells, city } = places;
  if (cells.length === 0 && city === null)
    return { sentence: `No published area has an accepted sighting of ${recordName}.` };
  if (outline === undefined) return { sentence: `${cityName} has no list of areas, so no map is available.` };
  const { map } = outline;
  const points = cells
    .map(({ h3_cell }) => map.project(cellToLatLng(h3_cell)))
    .filter(([x, y]) => x >= 0 && x <= map.width && y >= 0 && y <= map.height);
  const svg = drawing(
    {
      id,
      title: `Map of ${cityName} with the places in which ${recordName} was observed`,
      description: "The line is the border of the city's areas; north is up. The table lists every place.",
      height: map.height,
      role: "img",
      kind: "map",
    },
    [html`<path class="ground" d="${outline.path}"/>`, cellMarks(id, outline, points), outline.scaleBar],
  );
  const legend = points.length === 0 ? [] : [cellLegend(outline)];
  const caption = [
    ...cellsText(recordName, cityName, cells.length, points.length),
    ...cityText(cityName, city),
  ];
  return { svg, caption: caption.join(" "), legend, table: table(recordName, cityName, places) };
}

function cellMarks(id: string, { cell }: CityOutline, points: readonly Point[]): SafeHtml[] {
  if (points.length === 0) return [];
  return [marker(`${id}-fixed`, cellMark(cell)), markedPath(`${id}-fixed`, cornersPath(points))];
}

function cellMark(shape: readonly Point[]): SafeHtml {
  const cell = hexagon(shape);
  return radiusOf(shape) >= MIN_RADIUS ? cell : html`${cell}<circle class="seen-ring" r="${MIN_RADIUS}"/>`;
}

function hexagon(shape: readonly Point[]): SafeHtml {
  return html`<path class="seen-fixed" d="${linePath(shape, true)}"/>`;
}

function cellLegend({ cell }: CityOutline): LegendEntry {
  return legendEntry(hexagon, cell, `an area of ${sizeText(FIXED_RESOLUTION)}`);
}

function cellsText(recordName: string, cityName: string, cells: number, drawn: number): string[] {
  if (cells === 0) return [`${recordName} was observed in ${cityName}.`];
  const seen = `${recordName} was observed in ${count(cells, "area", "areas")} in and around ${cityName}`;
  const beyond = cells - drawn;
  return [beyond === 0 ? `${seen}.` : `${seen}; ${count(beyond, "area is", "areas are")} outside this map.`];
}

function cityText(cityName: string, city: Seen | null): string[] {
  if (city === null) return [];
  const seen = count(city.observations, "observation of a mobile asset", "observations of mobile assets");
  return [`The published place of ${seen} is ${cityName}, without an area on this map.`];
}

function table(recordName: string, cityName: string, { cells, city }: RecordPlaceFacts) {
  const rows = cells.map(({ h3_cell, observations, last_observed }) => [
    h3_cell,
    sizeText(FIXED_RESOLUTION),
    observations,
    cityDay(last_observed),
  ]);
  return {
    caption: `Places in which ${recordName} was observed. ${CITY_DAYS}`,
    head: ["Place", "Size", "Observations", "Last observed"],
    rows:
      city === null
        ? rows
        : [...rows, [cityName, "city (mobile assets)", city.observations, cityDay(city.last_observed)]],
  };
}
