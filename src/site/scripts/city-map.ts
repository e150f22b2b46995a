import { addProtocol, Map as LibraryMap, LngLatBounds, setWorkerUrl } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import { PMTiles, Protocol } from "pmtiles";
import type { CityAreaResponse, CityCellCollection } from "../../contract/cities/city.ts";
import { dayText } from "../../kernel/time.ts";
import { make, only } from "./dom.ts";
import { ask } from "./json.ts";
import {
  areaOf,
  aroundText,
  boxOf,
  type CellFeature,
  type CellValues,
  counted,
  countsText,
  middleOf,
  type Position,
  whereText,
} from "./map-cells.ts";
import { CELLS, CHOSEN, type MapSettings, mapStyle } from "./map-style.ts";

/** The map of a city as it is opened: a drawing to move, and the same cells as a list beside it. Browsers without WebGL get the list. */

const BASEMAP = "/basemap.pmtiles";
const NO_DRAWING = "This browser cannot draw the map (it needs WebGL 2). The list has the same areas.";
const HINT = matchMedia("(hover: none)").matches
  ? "Tap an area. Move the map with two fingers."
  : "Move with the arrow keys, zoom with + and −, press Enter for the area in the middle.";

/** Throws Error, with a sentence for the reader, when the cells cannot be had. */
export async function openMap(figure: HTMLElement): Promise<void> {
  const settings: MapSettings = JSON.parse(figure.dataset["map"] ?? "");
  const answer = await ask<CityCellCollection>(`/exports/cells/${settings.city}.geojson`);
  if (!answer.isOk) throw new Error(answer.error);
  const status = only(figure, "[role=status]", HTMLElement);
  const list = new CellList(settings.city, answer.body.features);
  only(figure, ".drawing", HTMLElement).after(list.element);
  only(figure, "[data-open-map]", HTMLButtonElement).remove();
  try {
    await draw({ figure, settings, cells: answer.body, list, status });
    status.textContent = HINT;
  } catch {
    status.textContent = NO_DRAWING;
    list.focus();
  }
}

/** Every cell in which somebody looked or saw something, and what is known of the chosen one. */
class CellList {
  readonly element = make("div");
  readonly middle: Position;
  readonly #city: string;
  readonly #cells: ReadonlyMap<string, CellFeature>;
  readonly #buttons = new Map<string, HTMLButtonElement>();
  readonly #facts = make("div");
  readonly #areas = new Map<string, ReturnType<typeof ask<CityAreaResponse>>>();
  #chosen = "";
  onChoice: (cell: CellFeature) => void = () => undefined;

  constructor(city: string, features: readonly CellFeature[]) {
    const { southWest, northEast } = boxOf(features);
    this.middle = [(southWest[0] + northEast[0]) / 2, (southWest[1] + northEast[1]) / 2];
    this.#city = city;
    this.#cells = new Map(features.map((feature) => [feature.id, feature]));
    const listed = features
      .filter(({ properties }) => properties.observations + properties.weeks_looked_90d > 0)
      .sort((a, b) => b.properties.observations - a.properties.observations);
    const items = listed.map((feature) => make("li", this.#buttonOf(feature)));
    const list = make("ol", ...items);
    list.className = "map-list";
    list.setAttribute("aria-label", "Areas, most sightings first");
    this.element.className = "map-side";
    this.#facts.className = "map-facts";
    this.#facts.setAttribute("aria-live", "polite");
    this.#facts.append(make("p", "Choose an area on the map or in the list."));
    this.element.append(this.#facts, list);
  }

  focus(): void {
    this.#buttons.values().next().value?.focus();
  }

  #buttonOf(feature: CellFeature): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.append(make("b", this.#nameOf(feature)), make("span", countsText(feature.properties)));
    button.addEventListener("click", () => void this.choose(feature.id));
    this.#buttons.set(feature.id, button);
    return button;
  }

  #nameOf(feature: CellFeature): string {
    return whereText(middleOf(feature), this.middle);
  }

  textOf(cell: string): string {
    const feature = this.#cells.get(cell);
    return feature === undefined ? "" : `${this.#nameOf(feature)}: ${countsText(feature.properties)}`;
  }

  async choose(cell: string): Promise<void> {
    const feature = this.#cells.get(cell);
    if (feature === undefined) return;
    this.#buttons.get(this.#chosen)?.removeAttribute("aria-current");
    this.#buttons.get(cell)?.setAttribute("aria-current", "true");
    this.#chosen = cell;
    this.onChoice(feature);
    const found = await this.#recordsOf(cell);
    if (this.#chosen !== cell) return; // another one was chosen meanwhile
    this.#facts.replaceChildren(make("h3", this.#nameOf(feature)), countsOf(feature.properties), ...found);
  }

  async #recordsOf(cell: string): Promise<HTMLElement[]> {
    const area = areaOf(cell);
    const asked = this.#areas.get(area) ?? ask<CityAreaResponse>(`/api/v1/city/${this.#city}/cells/${area}`);
    this.#areas.set(area, asked);
    const answer = await asked;
    if (answer.isOk) return recordList(answer.body.cells.find(({ h3_cell }) => h3_cell === cell));
    this.#areas.delete(area); // the next choice asks again
    return [make("p", answer.error)];
  }
}

function countsOf(cell: CellValues): HTMLElement {
  const { observations, observations_90d, last_observed, weeks_looked_90d, eligible } = cell;
  const last = last_observed === null ? "" : ` Last seen ${dayText(last_observed)}.`;
  const coverage = eligible ? "" : " This area does not count for the city’s coverage.";
  return make(
    "p",
    `${counted(observations, "sighting")}, ${observations_90d.toLocaleString("en-US")} of them in the last 90 days. Visited in ${counted(weeks_looked_90d, "week")} of the last 90 days.${last}${coverage}`,
  );
}

function recordList(cell: CityAreaResponse["cells"][number] | undefined): HTMLElement[] {
  if (cell === undefined || cell.records === 0)
    return [make("p", "No record has a sighting here. That does not show that nothing is there.")];
  const { first_records: first, records } = cell;
  const all = counted(records, "record");
  return [
    make("h4", first.length < records ? `The ${first.length} of ${all} with the most sightings` : all),
    make(
      "ul",
      ...first.map((record) =>
        make("li", linkTo(record), ` ${countsText({ ...record, weeks_looked_90d: 0 })}`),
      ),
    ),
  ];
}

function linkTo({ public_id, name }: { readonly public_id: string; readonly name: string }): HTMLElement {
  const link = document.createElement("a");
  link.href = `/record/${encodeURIComponent(public_id)}/`;
  const bdi = make("bdi", name);
  bdi.translate = false;
  link.append(bdi);
  return link;
}

interface Drawn {
  readonly figure: HTMLElement;
  readonly settings: MapSettings;
  readonly cells: CityCellCollection;
  readonly list: CellList;
  readonly status: HTMLElement;
}

/** Throws where the browser has no WebGL. */
async function draw({ figure, settings, cells, list, status }: Drawn): Promise<void> {
  const container = make("div");
  container.className = "map-canvas";
  const basemap = await basemapThere();
  setWorkerUrl(workerUrl);
  only(figure, ".drawing", HTMLElement).prepend(container);
  figure.setAttribute("data-map-open", "");
  const { southWest, northEast } = boxOf(cells.features);
  const bounds = new LngLatBounds(southWest, northEast);
  try {
    const map = new LibraryMap({
      container,
      style: mapStyle({ ...settings, cells, basemap: basemap?.address, color: colorsOf(figure) }),
      bounds,
      fitBoundsOptions: { padding: 16 },
      attributionControl: false,
      cooperativeGestures: true, // one finger and the plain wheel scroll the page
      dragRotate: false,
      pitchWithRotate: false,
      locale: { "Map.Title": `Map of the areas: ${HINT}` },
    });
    map.touchZoomRotate.disableRotation();
    follow(map, list, status);
    addButtons(figure, map, () => map.fitBounds(bounds, { padding: 16 }));
    only(figure, ".map-bar", HTMLElement).after(creditOf(basemap, aroundText(settings.places, list.middle)));
    map.getCanvas().focus();
  } catch (error) {
    figure.removeAttribute("data-map-open");
    container.remove();
    throw error;
  }
}

/** Pointer and keyboard choose a cell, and the list's choice shows on the map. */
function follow(map: LibraryMap, list: CellList, status: HTMLElement): void {
  const cellAt = (x: number, y: number) =>
    map.queryRenderedFeatures([x, y], { layers: [CELLS] })[0]?.properties["h3_cell"];
  map.on("click", CELLS, ({ point }) => void list.choose(String(cellAt(point.x, point.y))));
  map.on("mousemove", CELLS, ({ point }) => {
    status.textContent = list.textOf(String(cellAt(point.x, point.y)));
  });
  const canvas = map.getCanvas();
  const inTheMiddle = () => String(cellAt(canvas.clientWidth / 2, canvas.clientHeight / 2));
  canvas.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") void list.choose(inTheMiddle());
  });
  const sayMiddle = () => {
    if (document.activeElement === canvas) status.textContent = list.textOf(inTheMiddle()) || HINT;
  };
  map.on("moveend", () => map.once("idle", sayMiddle)); // once what has come into view is drawn
  list.onChoice = (feature) => {
    map.setFilter(CHOSEN, ["==", ["get", "h3_cell"], feature.id]);
    const [lng, lat] = middleOf(feature);
    if (!map.getBounds().contains([lng, lat])) map.easeTo({ center: [lng, lat] });
  };
}

function addButtons(figure: HTMLElement, map: LibraryMap, reset: () => void): void {
  const actions = [
    ["+", "Zoom in", () => map.zoomIn()],
    ["−", "Zoom out", () => map.zoomOut()],
    ["Reset", "Reset the map", reset],
  ] as const;
  for (const [text, label, act] of actions) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    only(figure, ".map-bar", HTMLElement).append(button);
  }
}

/** Colors as the style sheet has them now, in light or dark. */
function colorsOf(figure: HTMLElement): (name: string) => string {
  const probe = make("span");
  figure.append(probe);
  const colors = new Map<string, string>();
  return (name) => {
    probe.style.color = `var(${name})`;
    const color = colors.get(name) ?? getComputedStyle(probe).color;
    colors.set(name, color);
    return color;
  };
}

interface Basemap {
  readonly address: string;
  readonly attribution: readonly (string | Node)[];
}

/** The operator's own extract; undefined where the service has none. */
async function basemapThere(): Promise<Basemap | undefined> {
  const { status } = await fetch(BASEMAP, { headers: { Range: "bytes=0-0" } });
  if (status !== 206) return undefined;
  const address = new URL(BASEMAP, location.href).href;
  const archive = new PMTiles(address);
  const protocol = new Protocol();
  protocol.add(archive);
  addProtocol("pmtiles", protocol.tile);
  const metadata: unknown = await archive.getMetadata();
  const { attribution = "" } = Object(metadata);
  return { address, attribution: creditsIn(String(attribution)) };
}

/** Archives state it as HTML: its text with its links, and nothing else of it. */
function creditsIn(attribution: string): (string | Node)[] {
  const { childNodes } = new DOMParser().parseFromString(attribution, "text/html").body;
  return [...childNodes].map((node) => {
    const text = node.textContent ?? "";
    if (!(node instanceof HTMLAnchorElement) || node.protocol !== "https:") return text;
    const link = document.createElement("a");
    link.href = node.href;
    link.textContent = text;
    return link;
  });
}

function creditOf(basemap: Basemap | undefined, around: string): HTMLElement {
  const counts = "Numbers on the map count all sightings in an area.";
  return basemap === undefined
    ? make("p", `${counts} ${around} Places: GeoNames, CC BY 4.0.`)
    : make("p", `${counts} Map: `, ...basemap.attribution);
}
