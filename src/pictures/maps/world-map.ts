import { type GeoContext, type GeoProjection, geoGraticule, geoNaturalEarth1, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import landFile from "world-atlas/land-110m.json" with { type: "json" };
import { z } from "zod";
import { TIER_WORDS } from "../../contract/cities/coverage.ts";
import { CoverageTier } from "../../contract/enums.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { TIER_MEANINGS } from "../../render/words/coverage.ts";
import { count } from "../../render/words/format.ts";
import { type Label, placeLabels } from "../labels.ts";
import { drawing, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import { type LatLng, linePath, type Point, whole } from "./outline.ts";

/** Natural Earth's land at 1:110 million (public domain), without Antarctica. */

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

interface WorldCity {
  readonly name: string;
  readonly href: string;
  readonly lat: number;
  readonly lng: number;
  readonly tier: CoverageTier;
}

interface WorldMapFacts {
  readonly id: string;
  readonly cities: readonly WorldCity[];
}

/** Maximum number of cities with labels and tab stops on the map; the page lists all cities. */
const MAX_NAMED = 30;
const MAX_FONT = 28; // units; see site/styles/pictures.css
const LABEL_DISTANCE = 15;

/** World map of the covered cities, each linking to its page. */
export function worldMap({ id, cities }: WorldMapFacts): Picture | NoPicture {
  if (cities.length === 0) return { sentence: "No city is covered yet." };
  const { height, land, graticule, project } = world();
  const places = cities.map((city) => ({ ...city, at: whole(project([city.lat, city.lng])) }));
  const isNamed = cities.length <= MAX_NAMED;
  const room = { width: WIDTH, height, fontSize: MAX_FONT, distance: LABEL_DISTANCE };
  const labels = isNamed ? placeLabels(places, room) : [];
  const svg = drawing(
    {
      id,
      title: "Map of the world with the cities of this service",
      description: `${count(cities.length, "city", "cities")}. Each dot is a link to a city's page.`,
      height,
      role: "group",
      kind: "map",
    },
    [
      html`<g transform="scale(${1 / LAND_STEPS})"><path class="graticule" d="${graticule}"/><path class="land" d="${land}"/></g>`,
      html`<g class="${isNamed ? "few-places" : "many-places"}">${places.map((place, at) => cityLink(place, labels[at], isNamed))}</g>`,
    ],
  );
  return {
    svg,
    caption: `${count(cities.length, "city", "cities")} on the map, by coverage.`,
    legend: legend(cities),
    table: table(cities),
  };
}

function cityLink(
  { name, href, tier, at: [x, y] }: WorldCity & { at: Point },
  label: Label | undefined,
  isNamed: boolean,
): SafeHtml {
  const text =
    label &&
    html`<text class="label" x="${Math.round(label.at[0])}" y="${Math.round(label.at[1])}" dy="${label.dy}" text-anchor="${label.anchor}">${name}</text>`;
  return html`<a href="${href}"${!isNamed && html` tabindex="-1"`}><title>${name}: coverage ${TIER_WORDS[tier]}</title><circle class="dot-area" cx="${x}" cy="${y}" r="16"/>${dot(tier, x, y)}${text}</a>`;
}

/** A dot that is fuller for higher coverage. */
function dot(tier: CoverageTier, x: number, y: number): SafeHtml {
  const circle = (kind: string, r: number) => html`<circle class="${kind}" cx="${x}" cy="${y}" r="${r}"/>`;
  if (tier === "building") return html`${circle("dot", 5)}${circle("dot-core", 2)}`;
  return circle(DOT_KINDS[tier], 5);
}

const DOT_KINDS = { none: "dot faint", seed: "dot", dense: "dot full" } as const;

function legend(cities: readonly WorldCity[]) {
  const tiers = CoverageTier.options.filter((tier) => cities.some((city) => city.tier === tier));
  return tiers.map((tier) => ({
    mark: html`<g transform="translate(12 12) scale(1.6)">${dot(tier, 0, 0)}</g>`,
    meaning: `${TIER_WORDS[tier]}: ${TIER_MEANINGS[tier]}`,
  }));
}

function table(cities: readonly WorldCity[]) {
  return {
    caption: "Cities of this service by coverage",
    head: ["City", "Coverage"],
    rows: cities.map(({ name, tier }) => [name, TIER_WORDS[tier]]),
  };
}
