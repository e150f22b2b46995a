/** What is seen in the demonstration: its sources, the observers whom its operator vouches for, and their sightings. */

import { latLngToCell } from "h3-js";
import { AssetType, SourceType, type Vetting } from "../contract/enums.ts";
import type { ObservationInput } from "../intake/lines/observation-input.ts";
import { PLACE_RESOLUTION } from "../intake/places/place.ts";
import { addSource, enrol } from "../intake/sources/source-desk.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { SeededNumbers } from "../kernel/seeded.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime, solarOffsetHours } from "../kernel/time.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { Business, DemoAsset } from "./businesses.ts";
import { type DemoCity, measured, type Place, placeIn } from "./fixture.ts";

interface DemoSource {
  readonly id: string;
  readonly name: string;
  readonly operator: string;
  readonly vetting: Vetting;
  /** Observers in each city whom the operator vouches for; the others have to become established. */
  readonly founding: number;
}

export const DEMO_SOURCES: Readonly<Record<SourceType, DemoSource>> = {
  scout: {
    id: "street-scouts",
    name: "Street Scouts (invented)",
    operator: "Invented Scouts Cooperative",
    vetting: "individual",
    founding: 4,
  },
  fleet_cam: {
    id: "delivery-cameras",
    name: "Delivery Cameras (invented)",
    operator: "Invented Deliveries Ltd",
    vetting: "individual",
    founding: 2,
  },
  telematics_api: {
    id: "van-positions",
    name: "Van Positions (invented)",
    operator: "Invented Positions Ltd",
    vetting: "collective",
    founding: 0,
  },
  seed_survey: {
    id: "first-survey",
    name: "First Survey (invented)",
    operator: "Invented Surveys Ltd",
    vetting: "collective",
    founding: 0,
  },
};

/** The id of an observer of a city; `number` from 1. */
export function observerId({ slug }: Pick<DemoCity, "slug">, source: SourceType, number: number): string {
  return `${slug}-${source}-${number}`;
}

/** Registers the sources, once. */
export function registerSources(ledger: LedgerWriter): void {
  for (const kind of SourceType.options) {
    const { id, name, operator, vetting } = DEMO_SOURCES[kind];
    const paper = `${id}: invented, for the demonstration`;
    addSource(ledger, {
      id,
      kind: kind,
      vetting,
      operator,
      name,
      isNamed: true,
      licence: paper,
      consent: paper,
      assetTypes: AssetType.options,
    });
  }
}

/** The way in for a city's first observers. */
export function vouchForFounders(ledger: LedgerWriter, city: DemoCity): void {
  for (const kind of SourceType.options) {
    const { id, founding } = DEMO_SOURCES[kind];
    for (let number = 1; number <= founding; number += 1)
      enrol(ledger, { source: id, observer: observerId(city, kind, number) }, { isVouched: true });
  }
}

/** A line of intake, and the UTC day in whose night it is taken in. */
export interface DemoSighting {
  readonly night: number;
  readonly line: ObservationInput;
}

/** A business with all its sightings. */
export interface Thread {
  readonly business: Business;
  readonly sightings: readonly (DemoSighting & { readonly asset: DemoAsset })[];
}

export interface Seen {
  readonly day: number;
  readonly asset: DemoAsset;
  readonly source: SourceType;
  readonly observer: number; // of that source in the city, from 1
  readonly place: Place;
  readonly archivedDays?: number; // days between the picture and that day
}

/** The sightings of a business: its first asset on its first day, the rest at random. */
export function threadOf(business: Business): Thread {
  const numbers = new SeededNumbers(`sightings of ${business.name} in ${business.city.slug}`);
  const seen = Array.from({ length: business.visits }, (_, visit) => {
    const day = visit === 0 ? business.from : numbers.between(business.from, business.until);
    const standing = business.assets.filter(({ from, until }) => from <= day && day <= until);
    return sight(business, day, visit === 0 ? business.assets[0] : numbers.pick(standing), numbers);
  });
  const all = numbers.chance(0.05) ? [...seen, ...archived(seen, numbers)] : seen;
  return thread(business, isSpread(business) ? firstPlaceFirst(business, all) : all);
}

/** Whether it has fixed assets that stand away from its first one. */
function isSpread({ assets: [first, ...others] }: Business): boolean {
  const cellOf = ({ place, type }: DemoAsset) =>
    type === "vehicle_wrap" ? undefined : latLngToCell(place.lat, place.lng, PLACE_RESOLUTION);
  const cell = first && cellOf(first);
  return others.some((asset) => cellOf(asset) !== undefined && cellOf(asset) !== cell);
}

/**
 * What stands elsewhere is known as the business's by its contacts, once two principals named them at its first place, and by those who
 * count alone: so the survey sees each asset first.
 */
function firstPlaceFirst({ name, from, until, assets: [first] }: Business, seen: readonly Seen[]): Seen[] {
  const founder = 1 + (name.length % DEMO_SOURCES.scout.founding);
  const at = seen[0]?.place;
  const later = seen.map((each, visit): Seen => {
    if (visit === 0)
      return { ...each, source: each.asset.type === "vehicle_wrap" ? "telematics_api" : each.source };
    if (first === undefined || at === undefined || visit > 1)
      return { ...each, day: Math.max(each.day, from + 2) };
    const place = { ...at, lat: at.lat + 1e-5 };
    return { day: from + 1, asset: first, place, source: "scout", observer: founder };
  });
  const firstDay = new Map<DemoAsset, number>();
  for (const { asset, day } of later)
    firstDay.set(asset, Math.min(day, firstDay.get(asset) ?? Number.POSITIVE_INFINITY));
  const surveyed = new Set<DemoAsset>();
  return later.map((each) => {
    if (each.asset.type === "vehicle_wrap" || each.day !== firstDay.get(each.asset)) return each;
    if (surveyed.has(each.asset)) return { ...each, day: Math.min(each.day + 1, until) };
    surveyed.add(each.asset);
    return { ...each, source: "seed_survey", observer: 1 };
  });
}

/**
 * Lines in the given order, with references numbered within the business. `luck` seeds the random parts of a line: businesses with the same luck and the
 * same visits differ in nothing that counts.
 */
export function thread(business: Business, seen: readonly Seen[], luck?: string): Thread {
  const subject = `${business.city.slug} ${business.name} ${business.assets[0]?.place.lat} ${luck ?? ""}`;
  const numbers = new SeededNumbers(`lines of ${luck ?? subject}`);
  const code = sha256Hex(subject).slice(0, 10);
  return {
    business,
    sightings: seen.map((each, at) => ({
      night: each.day,
      asset: each.asset,
      line: lineOf(business, each, `${each.source}-${code}-${at + 1}`, numbers),
    })),
  };
}

function sight({ city }: Business, day: number, asset: DemoAsset | undefined, numbers: SeededNumbers): Seen {
  if (asset === undefined) throw new Error("a business without assets has no sightings");
  const source = sourceOf(city, day, asset, numbers);
  const observer = numbers.between(1, OBSERVERS[source]);
  const mobile = asset.type === "vehicle_wrap";
  return {
    day,
    asset,
    source,
    observer,
    place: mobile ? placeIn(city, numbers) : measured(asset.place, numbers),
  };
}

const OBSERVERS: Readonly<Record<SourceType, number>> = {
  scout: 7,
  fleet_cam: 4,
  telematics_api: 2,
  seed_survey: 1,
};
const SURVEY_DAYS = 25; // a survey seeds each city

function sourceOf(city: DemoCity, day: number, asset: DemoAsset, numbers: SeededNumbers): SourceType {
  const mobile = asset.type === "vehicle_wrap";
  const survey = !mobile && day < city.first_day + SURVEY_DAYS ? 60 : 0;
  return numbers.weighted([
    ["seed_survey", survey],
    ["scout", mobile ? 30 : 55],
    ["fleet_cam", 35],
    ["telematics_api", mobile ? 35 : 1], // a few mistakes, which a check finds
  ]);
}

/** Old pictures from a fleet's archive, found in the week after the first sighting. */
function archived(seen: readonly Seen[], numbers: SeededNumbers): Seen[] {
  return seen
    .slice(0, 3)
    .map((each) => ({ ...each, source: "fleet_cam", archivedDays: numbers.between(400, 1500) }));
}

function lineOf(
  business: Business,
  seen: Seen,
  source_ref: string,
  numbers: SeededNumbers,
): ObservationInput {
  const { city, name, website, phone, declared, industry } = business;
  const { asset, source, observer, place } = seen;
  const photographed = source !== "seed_survey";
  return {
    source: DEMO_SOURCES[source].id,
    source_type: source,
    source_ref,
    observer: observerId(city, source, observer),
    observed_at: observedAt(city, seen, numbers),
    ...place,
    name,
    asset_type: asset.type,
    ...(asset.ref && { asset_ref: asset.ref }),
    ...(website && { website }),
    ...(phone && { phone, address: `${(observer % 90) + 1} Invented Street` }),
    ...(declared && { industry }),
    ...(photographed && { legibility: numbers.between(40, 100) / 100 }),
    ...(source === "fleet_cam" && {
      recognition_model_version: DEMO_MODELS[seen.day < MODEL_DAY ? 0 : 1],
    }),
    ...(photographed && numbers.chance(0.3) && { media_sha256: sha256Hex(source_ref) }),
    ...(seen.archivedDays !== undefined && { derived_from_archive: true }),
  };
}

/** The versions of the invented cameras' model, in their order. */
export const DEMO_MODELS = ["signreader-2.3", "signreader-2.4"] as const;
const MODEL_DAY = Date.parse("2026-05-04") / DAY_MS;

/** A time in daylight; surveys record only the day. */
function observedAt({ gazetteer }: DemoCity, seen: Seen, numbers: SeededNumbers): string {
  const start = (seen.day - (seen.archivedDays ?? 0)) * DAY_MS;
  if (seen.source === "seed_survey") return isoDate(start);
  const hour = (numbers.between(8, 18) - solarOffsetHours(gazetteer.lng) + 24) % 24;
  return isoTime(start + hour * HOUR_MS + numbers.between(0, 3599) * 1000);
}
