/** The area of a city as a set of resolution-8 cells. Every cell that the area touches is in, so no point of it falls out. */
import {
  cellToLatLng,
  compactCells,
  getHexagonEdgeLengthAvg,
  greatCircleDistance,
  gridDisk,
  latLngToCell,
  POLYGON_TO_CELLS_FLAGS,
  polygonToCellsExperimental,
  UNITS,
} from "h3-js";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { CITY_RESOLUTION } from "./place.ts";

const Position = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)], z.number()); // lng, lat (RFC 7946 3.1.1)
const Ring = z.array(Position).min(4);
const Rings = z.array(Ring).min(1);
type Rings = z.infer<typeof Rings>;

const Polygon = z.object({ type: z.literal("Polygon"), coordinates: Rings });
const MultiPolygon = z.object({ type: z.literal("MultiPolygon"), coordinates: z.array(Rings) });
const Collection = z.object({ type: z.literal("GeometryCollection"), geometries: z.array(z.unknown()) });
const Feature = z.object({ type: z.literal("Feature"), geometry: z.unknown() });
const Features = z.object({ type: z.literal("FeatureCollection"), features: z.array(z.unknown()) });
const GeoJson = z.discriminatedUnion("type", [Polygon, MultiPolygon, Collection, Feature, Features]);

const DEEPEST = 10;
const MAX_CELLS = 50_000; // about 37,000 km2: more is a country, or an outline in meters instead of degrees

/** Cells touched by a GeoJSON Polygon, MultiPolygon, Feature(Collection) or GeometryCollection. Throws OperatorError. */
export function outlineCells(json: string, path: string): string[] {
  const cells = new Set<string>();
  for (const rings of polygonsOf(readJson(json, path), path, 0)) {
    // Copies: the library takes mutable arrays, and positions without their heights.
    const loops = rings.map((ring) => ring.map(([lng, lat]) => [lng, lat]));
    const flags = POLYGON_TO_CELLS_FLAGS.containmentOverlapping;
    for (const cell of polygonToCellsExperimental(loops, CITY_RESOLUTION, flags, true)) cells.add(cell);
    if (cells.size > MAX_CELLS) throw new OperatorError(`${path}: the outline is larger than any city`);
  }
  if (cells.size === 0) throw new OperatorError(`${path}: the outline has no area`);
  return [...cells];
}

export const WIDEST_RADIUS_KM = 100;

/** Cells within `km` of a point, to the outer edge. Throws OperatorError for a radius too large for a city. */
export function radiusCells(lat: number, lng: number, km: number): string[] {
  if (!(km > 0 && km <= WIDEST_RADIUS_KM))
    throw new OperatorError(`radius ${km} km: expected more than 0 and at most ${WIDEST_RADIUS_KM}`);
  const edge = getHexagonEdgeLengthAvg(CITY_RESOLUTION, UNITS.km);
  const reach = km + 1.3 * edge; // cells differ in size; a corner is at most this far from the center
  const rings = Math.ceil(reach / (1.2 * edge)) + 1;
  const center = latLngToCell(lat, lng, CITY_RESOLUTION);
  return gridDisk(center, rings).filter(
    (cell) => greatCircleDistance(cellToLatLng(cell), [lat, lng], UNITS.km) <= reach,
  );
}

/** The form in which a manifest is kept: whole parents instead of their children, sorted. */
export function cellManifest(cells: readonly string[]): string[] {
  return compactCells([...cells]).sort();
}

function polygonsOf(value: unknown, path: string, depth: number): Rings[] {
  const parsed = GeoJson.safeParse(value);
  if (!parsed.success || depth > DEEPEST)
    throw new OperatorError(`${path}: not a GeoJSON outline: ${problem(parsed.error)}`);
  const shape = parsed.data;
  const inside = (parts: readonly unknown[]) => parts.flatMap((part) => polygonsOf(part, path, depth + 1));
  switch (shape.type) {
    case "Polygon":
      return [shape.coordinates];
    case "MultiPolygon":
      return shape.coordinates;
    case "GeometryCollection":
      return inside(shape.geometries);
    case "Feature":
      return inside([shape.geometry]);
    case "FeatureCollection":
      return inside(shape.features);
  }
}

function problem(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (issue === undefined) return "it is nested too deeply";
  return issue.path[0] === "type"
    ? "expected a Polygon, MultiPolygon, Feature, FeatureCollection or GeometryCollection"
    : `${issue.path.join(".")}: ${issue.message}`;
}

function readJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new OperatorError(`${path}: the file is not JSON`, { cause });
  }
}
