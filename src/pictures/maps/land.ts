/** Natural Earth's land at 1:110 million (public domain), without Antarctica. */

import { type GeoContext, type GeoProjection, geoGraticule, geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import landFile from "world-atlas/land-110m.json" with { type: "json" };
import { z } from "zod";
import { WIDTH } from "../picture.ts";
import type { LatLng, Point } from "./local-projection.ts";
import { linePath } from "./paths.ts";

/** Steps per drawing unit, because coasts need finer coordinates. */
export const LAND_STEPS = 2;
const MARGIN = 6;
const ANTARCTICA_LAT = -60;
const MIN_ISLAND = 1.5; // units; smaller islands are dropped

const Arcs = z.array(z.array(z.array(z.number())));
const Pair = z.tuple([z.number(), z.number()]);
const LandFile = z.object({
  type: z.literal("Topology"),
  arcs: Arcs,
  transform: z.object({ scale: Pair, translate: Pair }),
  objects: z.object({
    land: z.object({
      type: z.literal("GeometryCollection"),
      geometries: z.array(
        z.object({ type: z.literal("MultiPolygon"), arcs: z.array(z.array(z.array(z.int()))) }),
      ),
    }),
  }),
});

export interface World {
  readonly height: number;
  readonly land: string; // path data, in steps
  readonly graticule: string; // path data, in steps
  project(place: LatLng): Point; // in units
}

let known: World | undefined;

/** Created once and cached, because it is the same for every picture. */
export function world(): World {
  known ??= makeWorld();
  return known;
}

function makeWorld(): World {
  const land = landPolygons();
  const projection = geoNaturalEarth1().fitWidth(WIDTH - 2 * MARGIN, land);
  const [[, top], [, bottom]] = geoPath(projection).bounds(land);
  const [left, up] = projection.translate();
  projection.translate([left + MARGIN, up - top + MARGIN]).precision(0.3);
  const height = Math.ceil(bottom - top) + 2 * MARGIN;
  return {
    height,
    land: pathOf(land, projection, true),
    graticule: pathOf(geoGraticule().step([30, 30])(), projection, false),
    project: ([lat, lng]) => {
      const [x, y] = projection([lng, lat]) ?? [0, 0];
      return [x, y];
    },
  };
}

function landPolygons() {
  const file = LandFile.parse(landFile);
  const coordinates = feature(file, file.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === "MultiPolygon" ? geometry.coordinates : [],
  );
  const isLivedOn = (polygon: (typeof coordinates)[number]) =>
    polygon.some((ring) => ring.some(([, lat = ANTARCTICA_LAT]) => lat > ANTARCTICA_LAT));
  return { type: "MultiPolygon" as const, coordinates: coordinates.filter(isLivedOn) };
}

type Shape = ReturnType<typeof landPolygons> | ReturnType<ReturnType<typeof geoGraticule>>;

function pathOf(shape: Shape, projection: GeoProjection, isClosed: boolean): string {
  const lines: Point[][] = [];
  const pen: GeoContext = {
    beginPath: () => undefined,
    closePath: () => undefined,
    arc: () => undefined,
    moveTo: (x, y) => lines.push([[x, y]]),
    lineTo: (x, y) => lines.at(-1)?.push([x, y]),
  };
  geoPath(projection, pen)(shape);
  const steps = ([x, y]: Point): Point => [x * LAND_STEPS, y * LAND_STEPS];
  return lines
    .filter((line) => !isClosed || extent(line) > MIN_ISLAND)
    .map((line) => linePath(line.map(steps), isClosed))
    .join("");
}

function extent(line: readonly Point[]): number {
  const [first = [0, 0]] = line;
  return Math.max(...line.map(([x, y]) => Math.max(Math.abs(x - first[0]), Math.abs(y - first[1]))));
}
