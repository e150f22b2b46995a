import type {
  ExpressionSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from "maplibre-gl";
import type { CityCellCollection } from "../../contract/cities/city.ts";

/** What the page says of its map: see `cityMapSettings` of site/pages/cities.ts. */
export interface MapSettings {
  readonly city: string; // slug
  /** Least observations in 90 days of the upper classes. */
  readonly steps: { readonly some: number; readonly many: number };
  readonly places: readonly { readonly name: string; readonly lat: number; readonly lng: number }[];
}

interface StyleFacts extends MapSettings {
  readonly cells: CityCellCollection;
  readonly basemap: string | undefined; // address
  readonly color: (name: string) => string; // of the style sheet, by the name of its property
}

export const CELLS = "cells";
export const CHOSEN = "chosen";
const FONT = ["Public Sans", "sans-serif"]; // drawn by the browser: no font is fetched
const ANCHORS: ("center" | "top" | "bottom")[] = ["center", "top", "bottom"]; // names give way to counts

/** The style of a city's map. Each cell has its count as a text, because color alone is not accessible to everyone. */
export function mapStyle(facts: StyleFacts): StyleSpecification {
  const { cells, places, basemap, color } = facts;
  const sources: Record<string, SourceSpecification> = {
    cells: { type: "geojson", data: { type: "FeatureCollection", features: [...cells.features] } },
    places: {
      type: "geojson",
      data: {
        type: "FeatureCollection",
        features: places.map(({ name, lat, lng }) => ({
          type: "Feature",
          geometry: { type: "Point", coordinates: [lng, lat] },
          properties: { name },
        })),
      },
    },
    ...(basemap !== undefined && { basemap: { type: "vector", url: `pmtiles://${basemap}` } }),
  };
  return {
    version: 8,
    sources,
    layers: [
      { id: "ground", type: "background", paint: { "background-color": color("--card") } },
      ...(basemap === undefined ? [] : basemapLayers(color)),
      ...cellLayers(facts),
      ...(basemap === undefined
        ? [placeNames(color, { source: "places" })]
        : [placeNames(color, { source: "basemap", "source-layer": "places" })]),
    ],
  };
}

function cellLayers({ basemap, color, steps: { some, many } }: StyleFacts): LayerSpecification[] {
  const recent: ExpressionSpecification = ["get", "observations_90d"];
  const seen = [1, color("--cell-few"), some, color("--cell-some"), many, color("--cell-many")] as const;
  return [
    {
      id: CELLS,
      type: "fill",
      source: "cells",
      paint: {
        "fill-color": ["step", recent, color("--cell"), ...seen],
        "fill-opacity": basemap === undefined ? 1 : 0.6,
      },
    },
    {
      id: "borders",
      type: "line",
      source: "cells",
      paint: {
        "line-color": ["case", ["get", "eligible"], color("--card"), color("--cell-outside")],
        "line-width": 1,
      },
    },
    {
      id: CHOSEN,
      type: "line",
      source: "cells",
      filter: ["==", ["get", "h3_cell"], ""],
      paint: { "line-color": color("--cell-outside"), "line-width": 4 },
    },
    {
      id: "counts",
      type: "symbol",
      source: "cells",
      layout: { "text-field": MARK, "text-font": FONT, "text-size": 12, "text-padding": 0 },
      paint: halo(color),
    },
  ];
}

/** The count of all sightings; else a ring where somebody looked, and a dot where nobody did, as in the legend. */
const MARK: ExpressionSpecification = [
  "case",
  [">", ["get", "observations"], 0],
  ["to-string", ["get", "observations"]],
  [">", ["get", "weeks_looked_90d"], 0],
  "○",
  "·",
];

function halo(color: StyleFacts["color"]) {
  return { "text-color": color("--ink"), "text-halo-color": color("--card"), "text-halo-width": 2 };
}

function placeNames(color: StyleFacts["color"], source: { source: string; "source-layer"?: string }) {
  return {
    ...source,
    id: "names",
    type: "symbol",
    layout: {
      "text-field": ["get", "name"],
      "text-font": FONT,
      "text-size": 14,
      "text-variable-anchor": ANCHORS,
    },
    paint: halo(color),
  } satisfies LayerSpecification;
}

/** The layers of an extract in the scheme of Protomaps' basemap. */
function basemapLayers(color: StyleFacts["color"]): LayerSpecification[] {
  const of = { source: "basemap" } as const;
  return [
    { ...of, id: "earth", type: "fill", "source-layer": "earth", paint: { "fill-color": color("--paper") } },
    { ...of, id: "water", type: "fill", "source-layer": "water", paint: { "fill-color": color("--grid") } },
    { ...of, id: "roads", type: "line", "source-layer": "roads", paint: { "line-color": color("--edge") } },
  ];
}
