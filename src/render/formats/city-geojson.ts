import { cellToBoundary } from "h3-js";
import type { CityCell, CityCellCollection } from "../../contract/cities/city-cells.ts";
import { CELL_BOUNDARY, OPEN_LICENSE } from "../../contract/records/claim-boundary.ts";
import { COVERAGE_VERSION } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import { cityCells } from "../../resources/cities/city-cells.ts";
import { cityRef } from "../../resources/cities/city-object.ts";
import { coveredCity } from "../../resources/cities/covered-city.ts";
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
    features: cityCells({ snapshot }, city.slug).map(feature),
  };
}

function feature(cell: CityCell): CityCellCollection["features"][number] {
  return {
    type: "Feature",
    geometry: { type: "Polygon", coordinates: [ring(cell.h3_cell)] },
    properties: cell,
  };
}

type Position = [longitude: number, latitude: number];

/** Closed, counterclockwise ring. Across the 180th meridian it continues beyond ±180°, in one piece. */
function ring(cell: string): Position[] {
  const corners = cellToBoundary(cell, true).map(([lng = 0, lat = 0]): Position => [lng, lat]);
  const lngs = corners.map(([lng]) => lng);
  const crosses = Math.max(...lngs) - Math.min(...lngs) > 180;
  return corners.map(([lng, lat]) => [fiveDecimals(crosses && lng < 0 ? lng + 360 : lng), fiveDecimals(lat)]);
}

// About one meter.
function fiveDecimals(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
