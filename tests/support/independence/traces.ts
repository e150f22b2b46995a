/** Traces and registries for tests of the independence checks. */
import { latLngToCell } from "h3-js";
import type { ObserverFacts, Registry, Trace } from "../../../src/independence/trace.ts";
import { DAY_MS, HOUR_MS } from "../../../src/kernel/time.ts";

export const START = Date.UTC(2026, 0, 5);
export const TOWN = { lat: 43.545123, lng: -80.248234 };
const METERS_PER_DEGREE = 111_195;

/** A place so many meters north and east of the town's center. */
export function placeAt(north: number, east: number): { lat: number; lng: number } {
  const lat = TOWN.lat + north / METERS_PER_DEGREE;
  return { lat, lng: TOWN.lng + east / (METERS_PER_DEGREE * Math.cos((TOWN.lat * Math.PI) / 180)) };
}

export type TraceFields = Partial<Omit<Trace, "row">> & { readonly day?: number };

/** Collects traces in the order of entry; an asset is public from the day after its first row. */
export class TraceBook {
  readonly traces: Trace[] = [];
  readonly #published = new Map<number, number>();

  /** Adds a row; `day` counts from `START`, and the observation is made at 10:00 UTC unless `instant` says otherwise. */
  add({ day = 0, ...fields }: TraceFields): Trace {
    const row = this.traces.length + 1;
    const asset = fields.asset ?? row;
    const acceptedDay = fields.acceptedDay ?? START + day * DAY_MS;
    const assetPublishedDay = this.#published.get(asset) ?? acceptedDay;
    this.#published.set(asset, assetPublishedDay);
    const place = placeAt(row * 0.013, row * 0.017);
    const lat = fields.lat ?? place.lat;
    const lng = fields.lng ?? place.lng;
    const observer = fields.observer ?? "observer";
    const trace: Trace = {
      row,
      observer,
      principal: observer,
      source: "scouts",
      isCollective: false,
      assetType: "storefront",
      record: asset,
      asset,
      cell: latLngToCell(lat, lng, 8),
      instant: acceptedDay + 10 * HOUR_MS,
      isBareDate: false,
      isArchive: false,
      acceptedDay,
      assetPublishedDay,
      media: null,
      mediaLook: null,
      verdict: undefined,
      isRestored: false,
      ...fields,
      lat,
      lng,
    };
    this.traces.push(trace);
    return trace;
  }
}

/** A registry in which these observers are vouched for, and whatever `more` says. */
export function registryOf(vouched: readonly string[], more: Partial<Registry> = {}): Registry {
  const facts = (principal: string): ObserverFacts => ({ principal, isSuspended: false, isVouched: true });
  return {
    observers: new Map(vouched.map((observer) => [observer, facts(observer)])),
    isAffiliated: () => false,
    canSee: () => true,
    ...more,
  };
}

/** The last day of every test. */
export const LAST_DAY = START + 400 * DAY_MS;
