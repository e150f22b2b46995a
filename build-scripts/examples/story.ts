/** The events of the example world, by the night in which they enter the ledger. */

import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../src/kernel/time.ts";
import { BAKERY_IDENTITY, BUSINESSES, type Business, OBSERVERS, type Sign } from "./cast.ts";
import type { ExampleRows, ExampleSighting } from "./example-rows.ts";

export interface Night {
  readonly date: string; // the UTC day at whose end it is
  readonly sightings: readonly ExampleSighting[]; // since the night before
  readonly decide?: (rows: ExampleRows) => void; // after the sightings are in
}

const DECISIONS: readonly Omit<Night, "sightings">[] = [
  { date: "2026-03-10" },
  { date: "2026-04-21" },
  { date: "2026-05-19", decide: (rows) => rows.identity("ex_bakery", BAKERY_IDENTITY) },
  {
    date: "2026-06-12",
    decide: (rows) => {
      rows.review("verify", "ex_bakery_storefront/5", "picture_clear");
      rows.review("flag", "ex_carpets", "suspicious_pattern");
    },
  },
  {
    date: "2026-06-20",
    decide: (rows) => {
      rows.check("ex_bakery", {
        verdict: "detected",
        signalTypes: ["website", "maps_listing"],
        matchCount: 2,
      });
      rows.check("ex_signmaker", { verdict: "none", signalTypes: [], matchCount: 0 });
      rows.plan("exampleville");
    },
  },
  {
    date: "2026-06-28",
    decide: (rows) => {
      rows.visit("2026-06-27");
      rows.redact("ex_toyshop_storefront/2");
      rows.count("example-scouts", "2026-05");
    },
  },
  { date: "2026-06-29" },
];

/** All nights, the earliest first. */
export function nights(): Night[] {
  const sightings = BUSINESSES.flatMap(sightingsOf).sort((a, b) => instantOf(a) - instantOf(b));
  const byNight = Map.groupBy(sightings, (sighting) =>
    DECISIONS.find(({ date }) => instantOf(sighting) < Date.parse(date) + DAY_MS),
  );
  return DECISIONS.map((night) => ({ ...night, sightings: byNight.get(night) ?? [] }));
}

function instantOf({ line }: ExampleSighting): number {
  return Date.parse(line.observed_at);
}

function sightingsOf(business: Business, place: number): ExampleSighting[] {
  return business.signs.flatMap((sign) =>
    Array.from({ length: sign.visits }, (_, visit) => {
      return { business, sign, line: lineOf(business, sign, visit, place) };
    }),
  );
}

/** The businesses are on a grid of about a kilometer, so that each has its own cell. */
function lineOf({ city, name }: Business, sign: Sign, visit: number, place: number): ObservationInput {
  const { name: observer, source } = observerOf(sign, visit);
  const { lat, lng } = city.gazetteer;
  const instant = Date.parse(sign.first) + visit * sign.every * DAY_MS + (16 + (place % 6)) * HOUR_MS;
  return {
    source_type: source,
    source_ref: `${sign.id}/${visit + 1}`,
    observer,
    observed_at: isoTime(instant),
    lat: lat + 0.01 * ((place % 4) - 1.5),
    lng: lng + 0.015 * (Math.floor(place / 4) - 1.5),
    name,
    asset_type: sign.type,
    legibility: sign.legibility,
    recognition_model_version: source === "fleet_cam" ? "example-model-1" : null,
  };
}

function observerOf({ id, by }: Sign, visit: number) {
  const observer = OBSERVERS[visit % by];
  if (observer === undefined) throw new RangeError(`${id}: there are only ${OBSERVERS.length} observers`);
  return observer;
}
