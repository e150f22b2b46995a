import { CoverageTier } from "../../contract/enums.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { count } from "../../render/words/format.ts";
import { TIER_MEANINGS } from "../../render/words/words.ts";
import { drawing, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import { LAND_STEPS, world } from "./land.ts";
import type { Point } from "./local-projection.ts";
import { whole } from "./paths.ts";
import { type Label, placeLabels } from "./place-labels.ts";

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
const MAX_FONT = 28; // units; see styles/pictures.css
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
    caption: `${count(cities.length, "city", "cities")} on the map, by coverage level.`,
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
  return html`<a href="${href}"${!isNamed && html` tabindex="-1"`}><title>${name}: coverage ${tier}</title><circle class="dot-area" cx="${x}" cy="${y}" r="16"/>${dot(tier, x, y)}${text}</a>`;
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
    meaning: `${tier}: ${TIER_MEANINGS[tier]}`,
  }));
}

function table(cities: readonly WorldCity[]) {
  return {
    caption: "Cities of this service by coverage level",
    head: ["City", "Coverage"],
    rows: cities.map(({ name, tier }) => [name, tier]),
  };
}
