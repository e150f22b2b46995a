import { DAY_MS } from "../../kernel/time.ts";
import { CLOCK_MS, CO_TRAVEL_MS, FRAME_MS, INDEPENDENCE } from "../parameters.ts";
import { type CheckCode, type EnteringTrace, isWithin, type Registry } from "../trace.ts";

/** Remembers every row it is asked about, and says whether the row is to be set aside. */
export type RowTest = (trace: EnteringTrace, isSetAside: boolean) => boolean;

/** A check that judges each row by itself and by the rows before it, so no later row can change its answer. */
export interface RowCheck {
  readonly code: CheckCode;
  /** Starts without memory; the test is to see all rows in the order of entry. */
  start(registry: Registry): RowTest;
}

/** Whether a row has a time of day of its own observer: rows of collective sources and archives do not. */
export function hasOwnTime(trace: EnteringTrace): boolean {
  return !trace.isCollective && !trace.isArchive && !trace.isBareDate;
}

/**
 * The observation is dated long before it was received, or after. Limits how far an observer can backdate: days of the
 * past cannot be filled in later.
 */
export const clock: RowCheck = {
  code: "clock",
  start: () => (trace) => {
    if (!hasOwnTime(trace)) return false;
    return trace.instant < trace.acceptedDay - CLOCK_MS || trace.instant >= trace.acceptedDay + DAY_MS;
  },
};

/** What is kept of a row to tell whether a later one may show the same picture. */
export type Frame = Pick<EnteringTrace, "observer" | "instant" | "lat" | "lng" | "asset">;

/** Whether two rows are one look at two assets: one picture of a street shows several signs. */
export function isSameFrame(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset !== second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS &&
    isWithin(INDEPENDENCE.frame.meters, first, second)
  );
}

/** Whether an observer took a second picture of one sign on the spot: `same_look` decides about that. */
export function isSecondPicture(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset === second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS
  );
}

/** The operator suspended the observer. */
export const suspended: RowCheck = {
  code: "suspended",
  start: (registry) => (trace) => registry.observers.get(trace.observer)?.isSuspended ?? false,
};

/** The principal runs the record, its brand or its vehicles. */
export const affiliated: RowCheck = {
  code: "affiliated",
  start: (registry) => (trace) => registry.isAffiliated(trace.principal, trace.record),
};

/** The source cannot see assets of this type. The only check that rests on public data alone. */
export const cannotSee: RowCheck = {
  code: "cannot_see",
  start: (registry) => (trace) => !registry.canSee(trace.source, trace.assetType),
};

const numbers = new Float64Array(1);
const words = new Uint32Array(numbers.buffer);

/**
 * One number for several, as a key of a map: much faster than a string of them. 53 bits, so among a million keys two
 * coincide by chance with a probability of 0.00006.
 */
export function keyHash(...values: readonly number[]): number {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (const value of values) {
    numbers[0] = value + 0; // -0 is 0
    for (const word of words) {
      a = Math.imul(a ^ word, 0xcc9e2d51);
      a ^= a >>> 15;
      b = Math.imul(b + word, 0x1b873593) ^ a;
      b ^= b >>> 13;
    }
  }
  return (Math.imul(a ^ (b >>> 7), 0x2c1b3c6d) >>> 0) * 2 ** 21 + ((Math.imul(b, 0x297a2d39) >>> 0) >>> 11);
}

const FIRST_CAPACITY = 1024;

/** A map from `keyHash` keys to whole numbers above 0, in flat memory: about five times as fast as `Map`. */
export class KeyTable {
  #keys = new Float64Array(FIRST_CAPACITY);
  #values = new Int32Array(FIRST_CAPACITY); // 0 marks a free slot
  #size = 0;

  /** 0 where the key is not set. */
  get(key: number): number {
    return this.#values[this.#slotOf(key)] ?? 0;
  }

  set(key: number, value: number): void {
    const slot = this.#slotOf(key);
    const isNew = this.#values[slot] === 0;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    if (isNew && 2 * ++this.#size > this.#keys.length) this.#grow();
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = (key / 2 ** 21) & mask;
    while (this.#values[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Int32Array(2 * keys.length);
    values.forEach((value, index) => {
      if (value === 0) return;
      const slot = this.#slotOf(keys[index] ?? 0);
      this.#keys[slot] = keys[index] ?? 0;
      this.#values[slot] = value;
    });
  }
}

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
