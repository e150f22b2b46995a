import type {
  ExpressionSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from "maplibre-gl";
import type { CityCellCollection } from "../../contract/cities/city.ts";
import { borderOf, type Place } from "./map-cells.ts";

/** What the page says of its map: see `cityMapSettings` of site/pages/cities.ts. */
export interface MapSettings {
  readonly city: string; // slug
  /** Least observations in 90 days of the upper classes. */
  readonly steps: { readonly some: number; readonly many: number };
  readonly places: readonly Place[];
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
    border: {
      type: "geojson",
      data: {
        type: "MultiLineString",
        coordinates: borderOf(cells.features.filter(({ properties }) => properties.eligible)),
      },
    },
    ...(basemap !== undefined && { basemap: { type: "vector", url: `pmtiles://${basemap}` } }),
  };
  return {
    version: 8,
    sources,
    layers: [
      { id: "ground", type: "background", paint: { "background-color": color("--card") } },
      ...(basemap === undefined ? [] : ground(color)),
      ...cellLayers(facts),
      ...(basemap === undefined ? [] : streets(color)),
      chosen(color),
      counts(color),
      ...(basemap === undefined
        ? [names(color, { source: "places" })]
        : [streetNames(color), names(color, { source: "basemap", "source-layer": "places" })]),
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
        "fill-opacity": basemap === undefined ? 1 : ["step", recent, 0.3, 1, 0.6],
      },
    },
    {
      id: "sides",
      type: "line",
      source: "cells",
      paint: {
        "line-color": ["case", ["get", "eligible"], color("--card"), color("--cell-outside")],
        "line-width": 1,
        "line-opacity": basemap === undefined ? 1 : ["case", ["get", "eligible"], 0.5, 1],
      },
    },
    {
      id: "border",
      type: "line",
      source: "border",
      paint: { "line-color": color("--soft"), "line-width": 1.5 },
    },
  ];
}

function chosen(color: StyleFacts["color"]): LayerSpecification {
  return {
    id: CHOSEN,
    type: "line",
    source: "cells",
    filter: ["==", ["get", "h3_cell"], ""],
    paint: { "line-color": color("--cell-outside"), "line-width": 4 },
  };
}

function counts(color: StyleFacts["color"]): LayerSpecification {
  return {
    id: "counts",
    type: "symbol",
    source: "cells",
    layout: { "text-field": MARK, "text-font": FONT, "text-size": 12, "text-padding": 0 },
    paint: halo(color),
  };
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

/** Places of an extract have a kind; those of the catalog are all towns. */
function names(color: StyleFacts["color"], source: { source: string; "source-layer"?: string }) {
  return {
    ...source,
    id: "names",
    type: "symbol",
    layout: {
      "text-field": ["get", "name"],
      "text-font": FONT,
      "text-size": ["match", ["get", "kind"], ["neighbourhood", "macrohood"], 12, 15],
      "text-variable-anchor": ANCHORS,
    },
    paint: halo(color),
  } satisfies LayerSpecification;
}

/** What is drawn of an extract in the scheme of Protomaps' basemap, by its layers. */
export const BASEMAP_LAYERS = ["earth", "water", "roads", "places"] as const;

function of(layer: (typeof BASEMAP_LAYERS)[number]) {
  return { source: "basemap", "source-layer": layer } as const;
}

const IS_AREA: ExpressionSpecification = ["==", ["geometry-type"], "Polygon"];
const IS_LINE: ExpressionSpecification = ["==", ["geometry-type"], "LineString"];

function ground(color: StyleFacts["color"]): LayerSpecification[] {
  const [land, water] = [color("--map-land"), color("--map-water")];
  return [
    { ...of("earth"), id: "earth", type: "fill", filter: IS_AREA, paint: { "fill-color": land } },
    { ...of("water"), id: "water", type: "fill", filter: IS_AREA, paint: { "fill-color": water } },
    {
      ...of("water"),
      id: "rivers",
      type: "line",
      filter: IS_LINE,
      paint: { "line-color": water, "line-width": byZoom(1.5, 5) },
    },
  ];
}

const KIND: ExpressionSpecification = ["get", "kind"];

function streets(color: StyleFacts["color"]): LayerSpecification[] {
  const layer = (id: string, kinds: string[], width: ExpressionSpecification): LayerSpecification => ({
    ...of("roads"),
    id,
    type: "line",
    filter: ["in", KIND, ["literal", kinds]],
    layout: { "line-join": "round", "line-cap": "round" },
    paint: { "line-color": color("--map-road"), "line-width": width },
  });
  return [
    layer("streets", ["minor_road", "other"], byZoom(0.3, 2)),
    layer("main-streets", ["major_road"], byZoom(1, 4)),
    layer("highways", ["highway"], byZoom(2, 6)),
  ];
}

function streetNames(color: StyleFacts["color"]): LayerSpecification {
  return {
    ...of("roads"),
    id: "street-names",
    type: "symbol",
    minzoom: 12,
    filter: ["!=", KIND, "path"],
    layout: {
      "symbol-placement": "line",
      "text-field": ["coalesce", ["get", "name"], ""],
      "text-font": FONT,
      "text-size": 11,
    },
    paint: { ...halo(color), "text-color": color("--soft") },
  };
}

/** Widths for a whole city and for a few streets of it. */
function byZoom(far: number, near: number): ExpressionSpecification {
  return ["interpolate", ["exponential", 1.4], ["zoom"], 10, far, 15, near];
}
