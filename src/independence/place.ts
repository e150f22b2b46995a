const EARTH_RADIUS_METERS = 6_371_009;
const RADIANS = Math.PI / 180;
const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS;

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Great-circle distance in meters. */
export function metersBetween(a: Place, b: Place): number {
  const half = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const side = Math.sin(((b.lng - a.lng) * RADIANS) / 2);
  const chord = half * half + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * side * side;
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Whether two places are at most so many meters apart; quick where they are not. */
export function isWithin(meters: number, a: Place, b: Place): boolean {
  return Math.abs(a.lat - b.lat) * METERS_PER_DEGREE <= meters && metersBetween(a, b) <= meters;
}
