import { greatCircleDistance, latLngToCell, UNITS } from "h3-js";
import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { CITY_RESOLUTION } from "../places/place.ts";

/** From a walk to the cells looked at. The walk itself is dropped here: no later step sees more than cells and hours. */

export interface Position {
  readonly lat: number;
  readonly lng: number;
}

export interface TimedPosition extends Position {
  readonly at: number; // ms
}

/** A cell that was looked at, in an hour since the epoch: whole hours are what a city's solar day needs. */
export interface LookedCell {
  readonly cell: string; // resolution 8
  readonly hour: number;
}

const MINUTE_MS = 60_000;
const STEP_METERS = 100; // between samples: cells are ten times as wide

/** What is left of a walk without its ends: each is dropped up to a distance from it, and for some minutes where times are known. */
export function withoutEnds(walk: readonly TimedPosition[], isTimed: boolean): readonly TimedPosition[] {
  const start = firstAway(walk, isTimed);
  const rest = walk.slice(start);
  const end = firstAway(walk.toReversed(), isTimed);
  return rest.slice(0, Math.max(0, walk.length - end - start));
}

/** The index of the first position that is away from the first one; the length of the walk when none is. */
function firstAway(walk: readonly TimedPosition[], isTimed: boolean): number {
  const [end] = walk;
  if (end === undefined) return 0;
  const { cutMeters, cutMinutes } = LOOK_PARAMETERS;
  const isAway = (position: TimedPosition) =>
    meters(end, position) >= cutMeters &&
    (!isTimed || Math.abs(position.at - end.at) >= cutMinutes * MINUTE_MS);
  const found = walk.findIndex(isAway);
  return found < 0 ? walk.length : found;
}

/** The cells along a walk, each with its hours once. Nothing is added between positions that are far apart. */
export function walkedCells(walk: readonly TimedPosition[]): LookedCell[] {
  const cells = new Map<string, LookedCell>();
  for (const [index, position] of walk.entries()) {
    for (const { lat, lng, at } of steps(walk[index - 1], position)) {
      const looked = { cell: latLngToCell(lat, lng, CITY_RESOLUTION), hour: Math.floor(at / HOUR_MS) };
      cells.set(`${looked.cell} ${looked.hour}`, looked);
    }
  }
  return [...cells.values()];
}

/** Positions after `from` up to `to`, and `to` itself. */
function* steps(from: TimedPosition | undefined, to: TimedPosition): Generator<TimedPosition> {
  const distance = from === undefined ? 0 : meters(from, to);
  const isStraight = from !== undefined && Math.abs(from.lng - to.lng) < 180; // not over the antimeridian
  if (isStraight && distance <= LOOK_PARAMETERS.gapMeters) {
    const count = Math.floor(distance / STEP_METERS);
    for (let step = 1; step <= count; step += 1) yield between(from, to, step / (count + 1));
  }
  yield to;
}

function between(from: TimedPosition, to: TimedPosition, part: number): TimedPosition {
  const mixed = (a: number, b: number) => a + (b - a) * part;
  return {
    lat: mixed(from.lat, to.lat),
    lng: mixed(from.lng, to.lng),
    at: mixed(from.at, to.at),
  };
}

/** The length of a walk in kilometers. */
export function walkLength(walk: readonly Position[]): number {
  return walk.reduce((sum, position, index) => sum + meters(walk[index - 1] ?? position, position), 0) / 1000;
}

function meters(a: Position, b: Position): number {
  return greatCircleDistance([a.lat, a.lng], [b.lat, b.lng], UNITS.m);
}

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
