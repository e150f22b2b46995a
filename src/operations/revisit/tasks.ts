import { cellToLatLng, latLngToCell } from "h3-js";
import { keyedHash } from "../../intake/matching/keyed-hash.ts";
import { PLACE_RESOLUTION } from "../../intake/places/place.ts";
import type { RevisitPlan } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { REVISITED_TYPES, type RevisitedType } from "../../method/revisit/measurement.ts";

/** A place to visit, where an asset of some type is listed, or a cell to search whole. */
export type RevisitTask =
  | { readonly kind: "place"; readonly asset: number; readonly type: RevisitedType; readonly cell: string }
  | { readonly kind: "cell"; readonly cell: string };

/** Tasks by their ids. */
export type RevisitTasks = ReadonlyMap<string, RevisitTask>;

const TASK_DIGITS = 12;
const SEAL_DIGITS = 16;

/** The name of a plan in task files. */
export function planName({ city, manifest_sha256 }: Pick<RevisitPlan, "city" | "manifest_sha256">): string {
  return `${city}-${manifest_sha256.slice(0, SEAL_DIGITS)}`;
}

/**
 * The tasks of a plan, in the order of their ids. The ids are keyed hashes, so that nobody can look up which listed asset is meant.
 * An asset that was erased since, or whose place the ledger has lost, has none.
 */
export function tasksOf(
  { live, purposeKey }: Pick<LedgerWriter, "live" | "purposeKey">,
  plan: RevisitPlan,
): RevisitTasks {
  const hash = keyedHash(purposeKey("revisit"));
  const id = (key: string) => hash(`${planName(plan)} ${key}`).slice(0, TASK_DIGITS);
  const places = placesOf(live, plan.assets);
  const tasks: [string, RevisitTask][] = [
    ...live.assets([], plan.assets).flatMap(({ id: asset, body }): [string, RevisitTask][] => {
      const type = REVISITED_TYPES.find((each) => each === body.asset_type);
      const cell = places.get(asset);
      return type === undefined || cell === undefined
        ? []
        : [[id(`asset ${asset}`), { kind: "place", asset, type, cell }]];
    }),
    ...plan.cells.map((cell): [string, RevisitTask] => [id(`cell ${cell}`), { kind: "cell", cell }]),
  ];
  return new Map(tasks.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Asset -> the resolution-11 cell where it was seen first, which is where intake knows it. */
function placesOf(live: LedgerWriter["live"], assets: readonly number[]): ReadonlyMap<number, string> {
  const places = new Map<number, string>();
  for (const { body, exact } of live.sightings([], assets)) {
    if (exact === undefined || places.has(body.asset)) continue;
    places.set(body.asset, latLngToCell(exact.lat, exact.lng, PLACE_RESOLUTION));
  }
  return places;
}

/** The lines of a task file: where to go and what to look for, without any name. */
export function taskLines(plan: RevisitPlan, tasks: RevisitTasks): string[] {
  return Array.from(tasks, ([task, { kind, cell, ...of }]) => {
    const [lat, lng] = cellToLatLng(cell).map((degrees) => Number(degrees.toFixed(5)));
    const asset_types = "type" in of ? [of.type] : REVISITED_TYPES;
    return JSON.stringify({ plan: planName(plan), task, kind, h3_cell: cell, lat, lng, asset_types });
  });
}
