import { cellToLatLng } from "h3-js";
import { SERVICE } from "../../contract/records/claim-boundary.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { number, utcDate } from "../../render/words/format.ts";
import { CELL_CLASSES, type CellFacts, cellClass } from "../maps/cell-marks.ts";
import { hexagonShape } from "../maps/hexagons.ts";
import { LAND_STEPS, world } from "../maps/land.ts";
import { fitCells, type LocalMap, type Point } from "../maps/local-projection.ts";
import { outlinePath } from "../maps/outline.ts";
import { linePath } from "../maps/paths.ts";
import { WIDTH } from "../picture.ts";
import { SOCIAL_HEIGHT, SOCIAL_WIDTH, type SocialFonts, socialImage } from "./social-frame.ts";

interface CityFacts {
  readonly slug: string;
  readonly name: string;
  readonly region: string; // region and country
  readonly coverageLabel: string;
  readonly records: number;
  readonly observations: number;
  readonly cells: readonly CellFacts[];
  readonly asOf: string; // ISO time
  readonly isSynthetic: boolean;
}

const BADGE = "synthetic demonstration data";

/** Picture of a city for shared links. Uses the slug for a name in a script that the fonts lack. */
export function cityImage(city: CityFacts, fonts: SocialFonts): string {
  const eligible = city.cells.filter((cell) => cell.eligible);
  const seen = eligible.filter(({ weeks_looked_90d }) => weeks_looked_90d > 0);
  const name = plain(city.name);
  const region = plain(city.region);
  return socialImage(
    {
      service: SERVICE,
      title: fonts.bold.covers(name) ? name : city.slug,
      lines: [fonts.regular.covers(region) ? region : "", city.coverageLabel],
      figures: [
        { value: number(city.records), unit: city.records === 1 ? "record" : "records" },
        { value: number(city.observations), unit: city.observations === 1 ? "observation" : "observations" },
        {
          value: `${number(seen.length)} of ${number(eligible.length)}`,
          unit: "cells looked at in 90 days",
        },
      ],
      foot: `As of ${utcDate(city.asOf)} (UTC)`,
      badge: city.isSynthetic ? BADGE : undefined,
    },
    cellPicture(city.cells),
    fonts,
  );
}

interface SiteFacts {
  readonly cities: readonly { readonly lat: number; readonly lng: number }[];
  readonly records: number;
  readonly observations: number;
  readonly asOf: string; // ISO time
  readonly isSynthetic: boolean;
}

export function siteImage(site: SiteFacts, fonts: SocialFonts): string {
  const { cities, records, observations } = site;
  return socialImage(
    {
      service: SERVICE,
      title: "Evidence of what was physically seen",
      lines: [],
      figures: [
        { value: number(cities.length), unit: cities.length === 1 ? "city" : "cities" },
        { value: number(records), unit: records === 1 ? "record" : "records" },
        { value: number(observations), unit: observations === 1 ? "observation" : "observations" },
      ],
      foot: `As of ${utcDate(site.asOf)} (UTC)`,
      badge: site.isSynthetic ? BADGE : undefined,
    },
    worldPicture(cities),
    fonts,
  );
}

const MAP_WIDTH = 520;
const MAP_LEFT = SOCIAL_WIDTH - MAP_WIDTH - 20;
const MAP_TOP = 30;
const MAP_HEIGHT = 500;
const FINE = 10; // steps within a unit
const GAP = 0.92; // small gap between hexagons

/** Larger cities show only observed cells on a plain ground, to keep the picture small. */
const MAX_TILES = 600;

/** The cells as a motif: lighter means more observations. Crisp edges halve the picture's size. */
function cellPicture(cells: readonly CellFacts[]): SafeHtml {
  const middle = cells[Math.floor(cells.length / 2)];
  if (middle === undefined) return html``;
  const map = fitCells(
    cells.map(({ h3_cell }) => h3_cell),
    { width: MAP_WIDTH, maxHeight: MAP_HEIGHT, margin: 10 },
  );
  const shape = hexagonShape(map, middle.h3_cell);
  const eligible = cells.filter((cell) => cell.eligible).map(({ h3_cell }) => h3_cell);
  const kinds = CELL_CLASSES.filter((kind) => kind !== "unseen" || cells.length <= MAX_TILES);
  const paths = kinds.map((kind) => {
    const own = cells.filter((cell) => cellClass(cell) === kind);
    return html`<path class="${kind}" d="${own.map((cell) => tile(cell, map, shape)).join("")}"/>`;
  });
  const top = MAP_TOP + Math.round((MAP_HEIGHT - map.height) / 2);
  return html`<g transform="translate(${MAP_LEFT} ${top}) scale(${1 / FINE})" shape-rendering="crispEdges"><path class="ground" d="${outlinePath(eligible, map, FINE)}"/>${paths}</g>`;
}

function tile({ h3_cell }: CellFacts, map: LocalMap, shape: readonly Point[]): string {
  const [middleX, middleY] = map.project(cellToLatLng(h3_cell));
  const corners = shape.map(([x, y]): Point => [(middleX + GAP * x) * FINE, (middleY + GAP * y) * FINE]);
  return linePath(corners, true);
}

const WORLD_WIDTH = 580;

function worldPicture(cities: SiteFacts["cities"]): SafeHtml {
  const { land, height, project } = world();
  const scale = WORLD_WIDTH / WIDTH;
  const dots = cities.map(({ lat, lng }) => {
    const [x, y] = project([lat, lng]);
    return html`<circle class="dot" cx="${Math.round(x * LAND_STEPS)}" cy="${Math.round(y * LAND_STEPS)}" r="9"/>`;
  });
  const left = SOCIAL_WIDTH - WORLD_WIDTH - 20;
  const top = Math.round((SOCIAL_HEIGHT - height * scale) / 2);
  return html`<g transform="translate(${left} ${top}) scale(${scale / LAND_STEPS})"><path class="land" d="${land}"/>${dots}</g>`;
}

/** Removes control characters, which XML does not allow. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}
