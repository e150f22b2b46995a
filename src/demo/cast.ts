/** The parts of the story that chance would not produce. */

import type { AssetType, SourceType } from "../contract/enums.ts";
import { SeededNumbers } from "../kernel/seeded.ts";
import type { Business } from "./businesses.ts";
import { CAST, CITIES, cityOf, measured, type Place, placeIn } from "./fixture.ts";
import { type DemoSighting, type Seen, type Thread, thread } from "./sightings.ts";

/** Two businesses seen by the same people on the same days, each at its own place: their scores are equal to the last digit. */
export function twins(): Thread[] {
  const { city, names, industry } = CAST.twins;
  const numbers = new SeededNumbers("twins");
  const visits = Array.from({ length: 24 }, (_, visit) => ({
    source: numbers.pick<SourceType>(["scout", "scout", "fleet_cam"]),
    observer: numbers.between(1, 4),
    day: cityOf(city).last_day - 200 + 8 * visit,
  }));
  return names.map((name) => {
    const business = single({
      city,
      name,
      industry,
      type: "storefront",
      place: placeIn(cityOf(city), numbers),
      age: 200,
    });
    return thread(
      business,
      visits.flatMap((visit) => seenAt(business, visit)),
      `twins, ${name}`,
    );
  });
}

/** Three observers, of whom one made nine in ten of the observations: its score rests on that one. */
export function crowded(): Thread {
  const { city, name, industry } = CAST.crowded;
  const numbers = new SeededNumbers("crowded");
  const business = single({
    city,
    name,
    industry,
    type: "storefront",
    place: placeIn(cityOf(city), numbers),
    age: 150,
  });
  const visits = Array.from({ length: 20 }, (_, visit) => ({
    source: "scout" as const,
    observer: visit < 18 ? 1 : visit - 16,
    day: business.from + 7 * visit,
  }));
  return thread(
    business,
    visits.flatMap((visit) => seenAt(business, visit)),
  );
}

/** Meets every requirement, in a city with too few such records for a ranking. */
export function loneEligible(): Thread {
  const { city, name, industry } = CAST.lone_eligible;
  const place = placeIn(cityOf(city), new SeededNumbers("lone eligible"));
  const business = single({ city, name, industry, type: "storefront", place, age: 60 });
  const visits = Array.from({ length: 6 }, (_, visit) => ({
    source: "scout" as const,
    observer: 1 + (visit % 3),
    day: business.from + 9 * visit,
  }));
  return thread(
    business,
    visits.flatMap((visit) => seenAt(business, visit)),
  );
}

export type Namesakes = (typeof CAST.namesakes)[number] & { readonly threads: readonly [Thread, Thread] };

/** What the first sighting of each of two namesakes says: too little to join them, and enough to ask a reviewer. */
const NAMESAKES_PHONE = "+1 519 555 0142";

/** Two places of one name in one city, and one observer who saw one telephone at both. The later one opens a match review. */
export function namesakes(): Namesakes[] {
  return CAST.namesakes.map((pair) => {
    const numbers = new SeededNumbers(`namesakes ${pair.name}`);
    const at = (quarter: number, age: number) => {
      const place = placeIn(cityOf(pair.city), numbers, quarter);
      const business = single({ ...pair, type: "storefront", place, age });
      const visits = Array.from({ length: 9 }, (_, visit) => ({
        source: "scout" as const,
        observer: visit === 0 ? 1 : numbers.between(1, 5),
        day: business.from + Math.floor((visit * age) / 9),
      }));
      const { sightings } = thread(
        business,
        visits.flatMap((visit) => seenAt(business, visit, measured(place, numbers))),
      );
      const phoned = ({ line, ...seen }: (typeof sightings)[number], visit: number) =>
        visit === 0 ? { ...seen, line: { ...line, phone: NAMESAKES_PHONE } } : { ...seen, line };
      return { business, sightings: sightings.map(phoned) };
    };
    return { ...pair, threads: [at(0, 210), at(1, pair.outcome === "open" ? 18 : 110)] };
  });
}

/** Signs without a name: intake holds them for the review desk. */
export function genericSigns(): DemoSighting[] {
  const numbers = new SeededNumbers("generic signs");
  return CAST.generic
    .flatMap((name, serial) =>
      [0, 1, 2].map((copy) => {
        const city = numbers.pick(CITIES.slice(0, 4));
        const type = numbers.pick<AssetType>(["storefront", "temp_sign", "site_sign"]);
        const business = single({
          city: city.slug,
          name,
          industry: null,
          type,
          place: placeIn(city, numbers),
          age: 100,
        });
        const day = business.from + numbers.between(0, 95);
        const { sightings } = thread(
          business,
          seenAt(business, { source: "fleet_cam", observer: 1, day }),
          `${serial} ${copy}`,
        );
        return sightings;
      }),
    )
    .flat();
}

interface Single {
  readonly city: string;
  readonly name: string;
  readonly industry: string | null;
  readonly type: AssetType;
  readonly place: Place;
  readonly age: number; // days before the last
}

function single({ city: slug, name, industry, type, place, age }: Single): Business {
  const city = cityOf(slug);
  const life = { from: city.last_day - age, until: city.last_day };
  return {
    city,
    name,
    industry,
    declared: industry !== null,
    website: null,
    phone: null,
    assets: [{ type, ref: null, place, ...life }],
    visits: 0,
    ...life,
  };
}

function seenAt(
  { assets: [asset] }: Business,
  visit: Pick<Seen, "source" | "observer" | "day">,
  place: Place | undefined = asset &&
    measured(asset.place, new SeededNumbers(`${visit.observer} ${visit.day}`)),
): Seen[] {
  return asset === undefined || place === undefined ? [] : [{ ...visit, asset, place }];
}
