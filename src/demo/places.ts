import type { SeededNumbers } from "../kernel/seeded.ts";
import type { DemoCity } from "./fixture.ts";

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

const KM_PER_DEGREE = 111.32;
const WOBBLE_KM = 0.006; // maximum error of a position

/** A random place in one of the city's quarters. */
export function placeIn(city: DemoCity, numbers: SeededNumbers, quarter?: number): Place {
  const [north, east, spread] =
    city.quarters[quarter ?? -1] ?? numbers.weighted(city.quarters.map((each) => [each, each[3]] as const));
  const off = () => (2 * numbers.next() - 1) * spread;
  return moved(city.gazetteer, north + off(), east + off());
}

/** The same place as measured by another observer. */
export function measured(place: Place, numbers: SeededNumbers): Place {
  const off = () => (2 * numbers.next() - 1) * WOBBLE_KM;
  return moved(place, off(), off());
}

function moved({ lat, lng }: Place, northKm: number, eastKm: number): Place {
  const eastDegrees = eastKm / (KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180));
  return { lat: sixDecimals(lat + northKm / KM_PER_DEGREE), lng: sixDecimals(lng + eastDegrees) };
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
