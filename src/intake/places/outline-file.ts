/** The polygons of an outline that an operator gives, as GeoJSON (RFC 7946). */
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";

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
    throw new OperatorError(`${place}: a ring is not closed: its last position must be its first one again`);
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
