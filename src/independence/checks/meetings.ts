import { CO_TRAVEL_MS, INDEPENDENCE } from "../parameters.ts";
import { type EnteringTrace, isWithin } from "../trace.ts";

const { meters, maxCandidates } = INDEPENDENCE.coTravel;
const METERS_PER_DEGREE = 111_195;
const RADIANS = Math.PI / 180;
const NONE = -1;

/** Buckets are twice as wide as what is searched, so a search looks into two of them along each axis. */
const SPAN_MS = 2 * CO_TRAVEL_MS;
const BAND_METERS = 2 * meters;

interface Bucket {
  readonly index: number;
  /** The neighbor on the nearer side. */
  readonly neighbor: number;
}

function bucketOf(value: number, width: number): Bucket {
  const index = Math.floor(value / width);
  return { index, neighbor: value / width - index < 0.5 ? index - 1 : index + 1 };
}

function eastMeters(lng: number, band: number): number {
  return lng * METERS_PER_DEGREE * Math.cos(((band * BAND_METERS) / METERS_PER_DEGREE) * RADIANS);
}

function mix(time: number, band: number, column: number): number {
  let hash = Math.imul(time, 0x9e3779b1) ^ Math.imul(band, 0x85ebca6b) ^ Math.imul(column, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Finds earlier rows that were made close by at nearly the same time. Buckets are capped, so no flood makes it slow. */
export class MeetingIndex {
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #traces: EnteringTrace[] = [];

  constructor(size: number) {
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 2))).fill(NONE);
    this.#next = new Int32Array(size);
  }

  /** Earlier rows of other principals that the row coincides with. Adds the row. */
  meet(trace: EnteringTrace): readonly EnteringTrace[] {
    const time = bucketOf(trace.instant, SPAN_MS);
    const band = bucketOf(trace.lat * METERS_PER_DEGREE, BAND_METERS);
    const met: EnteringTrace[] = [];
    for (const near of [band.index, band.neighbor]) {
      const column = bucketOf(eastMeters(trace.lng, near), BAND_METERS);
      for (const moment of [time.index, time.neighbor]) {
        this.#collect(mix(moment, near, column.index), trace, met);
        this.#collect(mix(moment, near, column.neighbor), trace, met);
      }
    }
    this.#add(
      mix(time.index, band.index, bucketOf(eastMeters(trace.lng, band.index), BAND_METERS).index),
      trace,
    );
    return met;
  }

  #collect(hash: number, trace: EnteringTrace, met: EnteringTrace[]): void {
    let index = this.#heads[this.#slot(hash)] ?? NONE;
    for (let left = maxCandidates; left > 0 && index !== NONE; left--) {
      const other = this.#traces[index];
      if (other !== undefined && coincide(other, trace) && !met.includes(other)) met.push(other);
      index = this.#next[index] ?? NONE;
    }
  }

  #add(hash: number, trace: EnteringTrace): void {
    const slot = this.#slot(hash);
    const index = this.#traces.push(trace) - 1;
    this.#next[index] = this.#heads[slot] ?? NONE;
    this.#heads[slot] = index;
  }

  #slot(hash: number): number {
    return hash & (this.#heads.length - 1);
  }
}

function coincide(a: EnteringTrace, b: EnteringTrace): boolean {
  return (
    a.principal !== b.principal && Math.abs(a.instant - b.instant) <= CO_TRAVEL_MS && isWithin(meters, a, b)
  );
}

/** A name of the place of a row, as coarse as places are told apart. */
export function placeName({ lat, lng }: EnteringTrace): string {
  const band = Math.floor((lat * METERS_PER_DEGREE) / meters);
  return `${band} ${Math.floor(eastMeters(lng, Math.floor(band / 2)) / meters)}`;
}
