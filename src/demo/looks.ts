import { gridDisk, latLngToCell } from "h3-js";
import { AssetType } from "../contract/enums.ts";
import type { ObservationInput } from "../intake/lines/observation-input.ts";
import type { LookInput } from "../intake/looks/look.ts";
import { CITY_RESOLUTION } from "../intake/places/place.ts";
import { HOUR_MS, isoTime } from "../kernel/time.ts";
import type { Night } from "./story.ts";

const LONGEST_MS = 12 * HOUR_MS; // from the first sighting to the last; the walk begins and ends an hour off

/** Where the scouts and cameras of a day looked: around what they saw. A line each, in the order of the observers. */
export function looksOf({ sightings }: Night): LookInput[] {
  const lines = sightings.map(({ line }) => line).filter(isWalk);
  return [...Map.groupBy(lines, ({ observer }) => observer)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, seen]) => lookAround(seen));
}

/** A survey gives no times, a picture from an archive shows another day, and positions of vans are no looks. */
function isWalk({ source_type, derived_from_archive }: ObservationInput): boolean {
  return (source_type === "scout" || source_type === "fleet_cam") && derived_from_archive !== true;
}

function lookAround(seen: readonly ObservationInput[]): LookInput[] {
  const times = seen.map(({ observed_at }) => Date.parse(observed_at));
  const [first] = seen;
  const [start, end] = [Math.min(...times), Math.max(...times)];
  if (first === undefined || end - start > LONGEST_MS) return [];
  const [from, until] = [isoTime(start - HOUR_MS), isoTime(end + HOUR_MS)];
  const cells = seen.flatMap(({ lat, lng }) => gridDisk(latLngToCell(lat, lng, CITY_RESOLUTION), 2));
  const { source, source_type, observer } = first;
  return [
    {
      kind: "look",
      source,
      source_type,
      source_ref: `look-${observer}-${from}`,
      observer,
      from,
      until,
      asset_types: AssetType.options.filter((type) => type !== "vehicle_wrap"),
      cells: [...new Set(cells)].sort(),
    },
  ];
}
