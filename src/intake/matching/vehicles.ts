import { greatCircleDistance, UNITS } from "h3-js";
import { HOUR_MS } from "../../kernel/time.ts";
import type { IntakeStore, VehicleSighting } from "../../ledger/matching/intake-store.ts";
import { isBareDate } from "../lines/observation-input.ts";
import type { Sighting } from "../lines/sighting.ts";
import { NOWHERE } from "../places/anchors.ts";

const MAX_KM_AN_HOUR = 130;
const SLACK_KM = 1; // positions are read while the vehicle moves on
/** Vehicles of one name without references: more are not told apart. */
const MAX_VEHICLES = 20;

/** Whether a sighting names no vehicle, only what is written on it. */
export function isUnnamedVehicle({ place }: Pick<Sighting, "place">): boolean {
  return place === NOWHERE;
}

type Seen = Pick<Sighting, "input" | "instant">;

/** The first of a record's vehicles that can be the one that was seen; undefined where it is another one. */
export function vehicleAmong(
  assets: readonly number[],
  sighting: Seen,
  store: Pick<IntakeStore, "vehicleSeenAround">,
): number | undefined {
  const found = assets.find((asset) => canBe(asset, sighting, store));
  return found ?? (assets.length < MAX_VEHICLES ? undefined : assets[0]);
}

/** Whether place and time allow that a vehicle is the one that was seen. A bare date has no time to speak against it. */
function canBe(
  asset: number,
  { input, instant }: Seen,
  store: Pick<IntakeStore, "vehicleSeenAround">,
): boolean {
  if (isBareDate(input.observed_at)) return true;
  return store
    .vehicleSeenAround(asset, instant)
    .every((seen) => isReachable(seen, { instant, lat: input.lat, lng: input.lng }));
}

/**
 * Remembers where a counting row saw a vehicle without a reference. Two vehicles of one name are two assets, as far as places and times
 * tell: one does not corroborate the other.
 */
export function rememberVehicle(
  sighting: Seen & Pick<Sighting, "place">,
  asset: number,
  row: number,
  store: Pick<IntakeStore, "addVehicleSighting">,
): void {
  const { input, instant } = sighting;
  if (!isUnnamedVehicle(sighting) || isBareDate(input.observed_at)) return;
  store.addVehicleSighting(asset, row, { instant, lat: input.lat, lng: input.lng });
}

function isReachable(a: VehicleSighting, b: VehicleSighting): boolean {
  const km = greatCircleDistance([a.lat, a.lng], [b.lat, b.lng], UNITS.km);
  const hours = Math.abs(a.instant - b.instant) / HOUR_MS;
  return km - SLACK_KM <= hours * MAX_KM_AN_HOUR;
}
