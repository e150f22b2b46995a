import { cellToBoundary } from "h3-js";
import { OPEN_LICENSE, serviceName } from "../../contract/records/claim-boundary.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { isoTime } from "../../kernel/time.ts";
import { cellFacts } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import { describedFiles, FILE_FORMATS, isAggregate } from "./exports.ts";

type Snapshot = ReadContext["snapshot"];

/** `/exports/stac.json`: the aggregates as a Collection of STAC 1.1.0 (SpatioTemporal Asset Catalog). */
export function stacCollection(snapshot: Snapshot): JsonObject {
  const release = snapshot.release();
  const { baseUrl, asOf } = release;
  const link = (rel: string, path: string, type: string) => ({ rel, href: baseUrl + path, type });
  const aggregates = describedFiles(snapshot).filter(({ path }) => isAggregate(path));
  return {
    type: "Collection",
    stac_version: "1.1.0",
    id: "physical-presence-aggregates",
    title: "Physical presence: aggregates",
    description: `Counts of what was observed, by city and by map cell: not what exists. A missing or low number never proves absence.${release.environment === "demo" ? " Demonstration data: made up." : ""}`,
    license: OPEN_LICENSE.name,
    providers: [{ name: serviceName(release), roles: ["producer", "host"], url: `${baseUrl}/` }],
    extent: {
      spatial: { bbox: boxes(snapshot) },
      temporal: { interval: [[firstSeen(snapshot), isoTime(asOf)]] },
    },
    links: [
      link("self", "/exports/stac.json", "application/json"),
      link("root", "/exports/stac.json", "application/json"),
      link("license", "/licence/", "text/html"),
      link("about", "/data/", "text/html"),
    ],
    assets: Object.fromEntries(
      aggregates.map(({ name, title, path, format }) => [
        name,
        { href: `${baseUrl}/exports/${path}`, title, type: FILE_FORMATS[format].mediatype, roles: ["data"] },
      ]),
    ),
  };
}

/** West, south, east, north: of all cities, and then of each, as STAC wants them. */
function boxes(snapshot: Snapshot): number[][] {
  const each = snapshot.cities().map((city) => {
    const corners = cellFacts(snapshot, city).flatMap(({ h3_cell }) => cellToBoundary(h3_cell));
    return boxOf(corners.map(([lat = 0, lng = 0]) => [lng, lat, lng, lat]));
  });
  return each.length === 0 ? [[-180, -90, 180, 90]] : [boxOf(each), ...each];
}

function boxOf(all: readonly (readonly number[])[]): number[] {
  return [Math.min, Math.min, Math.max, Math.max].map((furthest, at) => {
    const degrees = all.reduce((known, box) => furthest(known, box[at] ?? known), all[0]?.[at] ?? 0);
    return Math.round(degrees * 1e5) / 1e5;
  });
}

/** Of the first observation; null without one: the interval is open. */
function firstSeen(snapshot: Snapshot): string | null {
  const times = snapshot.explorerRows({}).flatMap(({ firstObserved }) => firstObserved ?? []);
  return times.length === 0 ? null : isoTime(times.reduce((first, time) => Math.min(first, time)));
}
