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
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { CITY_RESOLUTION } from "./place.ts";

/** The area of a city as a set of resolution-8 cells. Every cell that the area touches is in, so no point of it falls out. */

const MAX_CELLS = 50_000; // about 37,000 km2: more is a country, or an outline in meters instead of degrees
const MAX_BOX_KM2 = 1_000_000;
const KM_PER_DEGREE = 111.32;
// GeoNames has a point in the built-up area of a city, so outlines contain it. The rest is for outlines of a part, and wrong points.
const MAX_KM_TO_OUTLINE = 50;
const MAX_KM_TO_PART = 2500; // Honolulu has an atoll at 2,250 km, Tokyo an island at 1,860 km

type Center = Pick<GazetteerCity, "name" | "lat" | "lng">;

/**
 * Cells touched by a GeoJSON outline (see `readOutline`), and what was skipped because it has no area. Throws OperatorError, also for an
 * outline that is not where the city is.
 */
export function outlineCells(json: string, path: string, city: Center) {
  const { polygons, skipped } = readOutline(json, path);
  const hint = () => (polygons.some((polygon) => isExchanged(polygon, city)) ? `: ${EXCHANGED}` : "");
  const cells = new Set<string>();
  const distances = polygons.map((polygon) => {
    const own = isHuge(polygon) ? undefined : polygonCells(polygon);
    for (const cell of own ?? []) cells.add(cell);
    if (own === undefined || cells.size > MAX_CELLS)
      throw new OperatorError(`${path}: the outline is larger than any city${hint()}`);
    return own.reduce((least, cell) => Math.min(least, kmTo(city, cellToLatLng(cell))), Infinity);
  });
  if (cells.size === 0) throw new OperatorError([`${path}: the outline has no area`, ...skipped].join("; "));
  const refuse = (what: string, km: number) =>
    new OperatorError(`${path}: ${what} is ${roundKm(km)} km from ${city.name}${hint()}`);
  const nearest = Math.min(...distances);
  if (nearest > MAX_KM_TO_OUTLINE) throw refuse("the outline", nearest);
  const far = distances.findIndex((km) => km > MAX_KM_TO_PART);
  if (far >= 0) throw refuse(`polygon ${far + 1}`, distances[far] ?? 0);
  return { cells: [...cells], skipped };
}

/** Whether the box around a polygon is far larger than any city: its cells would fill the memory before they are counted. */
function isHuge([outer = []]: OutlinePolygon): boolean {
  const lats = outer.map(([, lat]) => lat);
  const lngs = outer.map(([lng]) => lng);
  const east = lngs.map((lng) => (lng < 0 ? lng + 360 : lng)); // for one that goes on beyond the 180th meridian
  const width = Math.min(span(lngs), span(east));
  const nearEquator = lats.reduce((least, lat) => Math.min(least, Math.abs(lat)), 90);
  const km2 = span(lats) * width * KM_PER_DEGREE ** 2 * Math.cos((nearEquator * Math.PI) / 180);
  return km2 > MAX_BOX_KM2;
}

/** Not by spreading: outlines have hundreds of thousands of corners. */
function span(degrees: readonly number[]): number {
  const least = degrees.reduce((a, b) => Math.min(a, b), Infinity);
  return degrees.reduce((a, b) => Math.max(a, b), -Infinity) - least;
}

function polygonCells(polygon: OutlinePolygon): string[] {
  // Copies: the library takes mutable arrays, and positions without their heights.
  const loops = polygon.map((ring) => ring.map(([lng, lat]) => [lng, lat]));
  return polygonToCellsExperimental(
    loops,
    CITY_RESOLUTION,
    POLYGON_TO_CELLS_FLAGS.containmentOverlapping,
    true,
  );
}

/** Whether a polygon would have a corner within a day's drive of the city with latitude and longitude exchanged. */
function isExchanged(polygon: OutlinePolygon, city: Center): boolean {
  return polygon.flat().some(([lng, lat]) => Math.abs(lng) <= 90 && kmTo(city, [lng, lat]) < 500);
}

function kmTo({ lat, lng }: Center, place: [lat: number, lng: number]): number {
  return greatCircleDistance([lat, lng], place, UNITS.km);
}

/** With two digits that count. */
function roundKm(km: number): string {
  return Number(km.toPrecision(2)).toLocaleString("en-US");
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

/** The polygons of an outline that an operator gives, as GeoJSON (RFC 7946). */

const Position = z.tuple([z.number(), z.number()], z.number()); // lng, lat (3.1.1), and a height
const Ring = z.array(Position).min(4);
const Rings = z.array(Ring).min(1);
type Position = z.infer<typeof Position>;

const Polygon = z.object({ type: z.literal("Polygon"), coordinates: Rings });
const MultiPolygon = z.object({ type: z.literal("MultiPolygon"), coordinates: z.array(Rings) });
const NoArea = z.object({ type: z.enum(["Point", "MultiPoint", "LineString", "MultiLineString"]) });
const Collection = z.object({ type: z.literal("GeometryCollection"), geometries: z.array(z.unknown()) });
const Feature = z.object({ type: z.literal("Feature"), geometry: z.unknown() });
const Features = z.object({ type: z.literal("FeatureCollection"), features: z.array(z.unknown()) });
const GeoJson = z.discriminatedUnion("type", [Polygon, MultiPolygon, NoArea, Collection, Feature, Features]);

const DEEPEST = 10;

export type OutlinePolygon = readonly (readonly Position[])[];

export interface OutlineParts {
  readonly polygons: OutlinePolygon[];
  /** What has no area, such as "feature 2 is a Point". */
  readonly skipped: string[];
}

/** Polygons of a GeoJSON Polygon, MultiPolygon, Feature(Collection) or GeometryCollection. Throws OperatorError. */
export function readOutline(json: string, path: string): OutlineParts {
  const parts = partsOf(readJson(json, path), { path, place: "the outline", depth: 0 });
  for (const [index, rings] of parts.polygons.entries())
    for (const ring of rings) checkRing(ring, `${path}: polygon ${index + 1}`);
  return parts;
}

interface Place {
  readonly path: string;
  readonly place: string;
  readonly depth: number;
}

function partsOf(value: unknown, where: Place): OutlineParts {
  const { path, place, depth } = where;
  const parsed = GeoJson.safeParse(value);
  if (!parsed.success || depth > DEEPEST)
    throw new OperatorError(
      `${path}: not a GeoJSON outline: ${depth > 0 ? `${place}: ` : ""}${problem(parsed.error)}`,
    );
  const shape = parsed.data;
  const inside = (parts: readonly unknown[], kind: string) =>
    joined(parts.map((part, at) => partsOf(part, { path, place: `${kind} ${at + 1}`, depth: depth + 1 })));
  switch (shape.type) {
    case "Polygon":
      return { polygons: [shape.coordinates], skipped: [] };
    case "MultiPolygon":
      return { polygons: shape.coordinates, skipped: [] };
    case "GeometryCollection":
      return inside(shape.geometries, "geometry");
    case "FeatureCollection":
      return inside(shape.features, "feature");
    case "Feature":
      if (shape.geometry === null) return { polygons: [], skipped: [`${place} has no geometry`] };
      return partsOf(shape.geometry, { ...where, depth: depth + 1 });
    default:
      return { polygons: [], skipped: [`${place} is a ${shape.type}`] };
  }
}

function joined(parts: readonly OutlineParts[]): OutlineParts {
  return {
    polygons: parts.flatMap(({ polygons }) => polygons),
    skipped: parts.flatMap(({ skipped }) => skipped),
  };
}

function checkRing(ring: readonly Position[], place: string): void {
  const wrong = ring.find(([lng, lat]) => Math.abs(lng) > 180 || Math.abs(lat) > 90);
  if (wrong !== undefined)
    throw new OperatorError(
      `${place}: position [${wrong[0]}, ${wrong[1]}]: longitude is -180 to 180 and latitude -90 to 90${advice(wrong)}`,
    );
  const [first, last] = [ring[0], ring.at(-1)];
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1])
    throw new OperatorError(`${place}: a ring is not closed: its last position must equal its first one`);
}

function advice([lng, lat]: Position): string {
  if (Math.abs(lng) <= 90 && Math.abs(lat) <= 180) return `: ${EXCHANGED}`;
  if (Math.abs(lng) <= 360 && Math.abs(lat) <= 90)
    return ": cut the outline at the 180th meridian (RFC 7946, 3.1.9)";
  return ": export the outline in WGS 84 (EPSG:4326), in degrees";
}

export const EXCHANGED = "latitude and longitude exchanged? GeoJSON has longitude first";

function problem(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (issue === undefined) return "it is nested too deeply";
  return issue.path[0] === "type"
    ? "expected a Polygon, MultiPolygon, Feature, FeatureCollection or GeometryCollection"
    : `${issue.path.join(".")}: ${issue.message}`;
}

/** The value of a file that the operator gives. Throws OperatorError. */
export function readJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new OperatorError(`${path}: the file is not JSON`, { cause });
  }
}
