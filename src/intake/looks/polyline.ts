import type { Position } from "./walk.ts";

const PRECISION = 1e5;
const OFFSET = 63;

/**
 * The positions of an encoded polyline (precision 5, the algorithm of Google Maps), or undefined for a text that is none: a
 * character outside the code, a number that does not end, half a position, a place outside the globe, or more than `max` positions.
 */
export function decodePolyline(text: string, max: number): Position[] | undefined {
  const positions: Position[] = [];
  let [lat, lng] = [0, 0];
  for (let at = 0; at < text.length; ) {
    const north = number(text, at);
    const east = north && number(text, north.next);
    if (north === undefined || east === undefined || positions.length === max) return undefined;
    lat += north.value;
    lng += east.value;
    at = east.next;
    if (Math.abs(lat) > 90 * PRECISION || Math.abs(lng) > 180 * PRECISION) return undefined;
    positions.push({ lat: lat / PRECISION, lng: lng / PRECISION });
  }
  return positions;
}

const MAX_SHIFT = 25; // six groups of five bits: no difference of coordinates needs more

/** One difference, in units of the precision: groups of five bits, the lowest first. */
function number(text: string, start: number): { readonly value: number; readonly next: number } | undefined {
  let result = 0;
  for (let shift = 0, at = start; shift <= MAX_SHIFT && at < text.length; shift += 5, at += 1) {
    const group = text.charCodeAt(at) - OFFSET;
    if (group < 0 || group > 63) return undefined;
    result += (group & 31) * 2 ** shift;
    if (group < 32) return { value: result % 2 === 1 ? -(result + 1) / 2 : result / 2, next: at + 1 };
  }
  return undefined;
}
