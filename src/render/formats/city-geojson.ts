import { cellToBoundary } from "h3-js";
import type { CityCellCollection } from "../../contract/cities/city.ts";
import { CELL_BOUNDARY, OPEN_LICENSE } from "../../contract/records/claim-boundary.ts";
import { COVERAGE_VERSION } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import { cityRef, coveredCity } from "../../resources/cities/cities.ts";
import { cellFacts } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import { methodologyUrl } from "../../resources/links.ts";
import { jsonText } from "./media-types.ts";

type Snapshot = ReadContext["snapshot"];
type City = NonNullable<ReturnType<Snapshot["city"]>>;

/** `/exports/cells/{city}.geojson`: the cells of a city (RFC 7946). Throws PublicError 404 for an unknown city. */
export function cityGeoJson(snapshot: Snapshot, slug: string): string {
  return jsonText(collection(snapshot, coveredCity(snapshot, slug)));
}

function collection(snapshot: Snapshot, city: City): CityCellCollection {
  const { baseUrl, asOf } = snapshot.release();
  return {
    type: "FeatureCollection",
    city: cityRef(city),
    data_as_of: isoTime(asOf),
    methodology_version: COVERAGE_VERSION,
    methodology_url: methodologyUrl(baseUrl),
    license: OPEN_LICENSE.name,
    claim_boundary: CELL_BOUNDARY,
    features: cellFacts(snapshot, city).map((properties) => ({
      type: "Feature",
      id: properties.h3_cell,
      geometry: cellGeometry(properties.h3_cell),
      properties,
    })),
  };
}

type Position = [longitude: number, latitude: number];
type Ring = Position[];

const WHOLE_TURN = 360;

/** The cell's closed, counterclockwise ring; two of them for one across the 180th meridian, which is cut there (RFC 7946, 3.1.9). */
export function cellGeometry(cell: string): CityCellCollection["features"][number]["geometry"] {
  const whole = aroundPole(unbroken(cell));
  const parts = [-WHOLE_TURN, 0, WHOLE_TURN].flatMap((turn) => {
    const east = cut(whole, turn - 180, (lng) => lng >= turn - 180);
    const part = cut(east, turn + 180, (lng) => lng <= turn + 180);
    const ring = part.map(([lng, lat]): Position => [fiveDecimals(lng - turn), fiveDecimals(lat)]);
    return hasArea(ring) ? [[[...ring, ...ring.slice(0, 1)]] satisfies [Ring]] : [];
  });
  const [first = [[]], ...others] = parts;
  return others.length === 0
    ? { type: "Polygon", coordinates: first }
    : { type: "MultiPolygon", coordinates: parts };
}

/** The corners of a cell. Longitudes go on beyond ±180 instead of jumping. */
function unbroken(cell: string): Ring {
  let east = 0;
  return cellToBoundary(cell).map(([lat, lng], at): Position => {
    east = at === 0 ? lng : east + shorterWay(lng - east);
    return [east, lat];
  });
}

/** The ring of a cell around a pole goes once around the world: it is closed along the pole. */
function aroundPole(ring: Ring): Ring {
  const [[first, lat] = [0, 0], [last] = [0]] = [ring[0], ring.at(-1)];
  const turn = last - first + shorterWay(first - last);
  if (Math.abs(turn) < 180) return ring;
  const pole = lat > 0 ? 90 : -90;
  return [...ring, [first + turn, lat], [first + turn, pole], [first, pole]];
}

function shorterWay(degrees: number): number {
  return ((((degrees + 180) % WHOLE_TURN) + WHOLE_TURN) % WHOLE_TURN) - 180;
}

/** The part of a ring on one side of a meridian (Sutherland and Hodgman, 1974). */
function cut(ring: Ring, meridian: number, isWithin: (lng: number) => boolean): Ring {
  return ring.flatMap((corner, at) => {
    const next = ring[(at + 1) % ring.length] ?? corner;
    const kept = isWithin(corner[0]) ? [corner] : [];
    if (isWithin(corner[0]) === isWithin(next[0])) return kept;
    const share = (meridian - corner[0]) / (next[0] - corner[0]);
    return [...kept, [meridian, corner[1] + share * (next[1] - corner[1])] satisfies Position];
  });
}

/** Whether a part is more than a touched meridian, or a sliver that rounding made a line. */
function hasArea(ring: Ring): boolean {
  return new Set(ring.map(String)).size > 2 && new Set(ring.map(([lng]) => lng)).size > 1;
}

// About one meter.
function fiveDecimals(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
