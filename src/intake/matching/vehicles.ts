import { greatCircleDistance, UNITS } from "h3-js";
import { HOUR_MS } from "../../kernel/time.ts";
import type { IntakeStore, VehicleSighting } from "../../ledger/matching/intake-store.ts";
import { isBareDate } from "../lines/observation-input.ts";
import type { Sighting } from "../lines/sighting.ts";
import { NOWHERE, refKey } from "../places/anchors.ts";

const MAX_KM_AN_HOUR = 130;
const SLACK_KM = 1; // positions are read while the vehicle moves on
/** Vehicles of one name without references: more are not told apart. */
const MAX_VEHICLES = 20;

/** The keys under which the vehicles of a record without references are known, the first vehicle's first. */
export const UNNAMED_VEHICLES: readonly string[] = Array.from({ length: MAX_VEHICLES }, (_, at) =>
  at === 0 ? NOWHERE : refKey(`vehicle ${at}`),
);

/** Whether a sighting names no vehicle, only what is written on it. */
export function isUnnamedVehicle({ place }: Pick<Sighting, "place">): boolean {
  return place === NOWHERE;
}

/** Whether place and time allow that a vehicle is the one that was seen. A bare date has no time to speak against it. */
export function canBe(
  asset: number,
  { input, instant }: Pick<Sighting, "input" | "instant">,
  store: Pick<IntakeStore, "vehicleSeenAround">,
): boolean {
  if (isBareDate(input.observed_at)) return true;
  return store
    .vehicleSeenAround(asset, instant)
    .every((seen) => isReachable(seen, { instant, lat: input.lat, lng: input.lng }));
}

function isReachable(a: VehicleSighting, b: VehicleSighting): boolean {
  const km = greatCircleDistance([a.lat, a.lng], [b.lat, b.lng], UNITS.km);
  const hours = Math.abs(a.instant - b.instant) / HOUR_MS;
  return km - SLACK_KM <= hours * MAX_KM_AN_HOUR;
}
