import { INDEPENDENCE, SAME_LOOK_MS } from "../parameters.ts";
import { isWithin, type Place, type ReviewItem, type Trace } from "../trace.ts";
import {
  type Frame,
  hasOwnTime,
  isSameFrame,
  isSecondPicture,
  KeyTable,
  keyHash,
  type RowCheck,
  type RowTest,
} from "./rows.ts";

/** More looks than one asset can have in the days for which the clock check lets rows be dated back. */
const MAX_REMEMBERED = 512;

/** The looks of one principal at one asset that count, in the order of entry. */
class Looks {
  readonly #instants: number[] = [];

  /** Whether the look is one of its own. Remembers it then. */
  add(instant: number): boolean {
    const oldest = Math.max(0, this.#instants.length - MAX_REMEMBERED);
    for (let index = this.#instants.length - 1; index >= oldest; index--) {
      if (Math.abs((this.#instants[index] ?? 0) - instant) < SAME_LOOK_MS) return false;
    }
    this.#instants.push(instant);
    return true;
  }
}

/** One principal saw one asset several times within minutes: the row that entered first counts. */
export const sameLook: RowCheck = {
  code: "same_look",
  start: () => {
    const assetsOf = new Map<string, Map<number, Looks>>(); // by principal
    return (trace, isSetAside) => {
      if (isSetAside || !hasOwnTime(trace)) return false;
      const { principal, asset, instant } = trace;
      const assets = assetsOf.get(principal) ?? new Map<number, Looks>();
      assetsOf.set(principal, assets);
      const looks = assets.get(asset) ?? new Looks();
      assets.set(asset, looks);
      return !looks.add(instant);
    };
  },
};

/** The picture was used before, for another look. Only the later row is set aside. Applies to every source. */
export const sameMedia: RowCheck = {
  code: "same_media",
  start: () => {
    const firsts = new Map<string, Frame>();
    const repeated = new Map<string, Frame[]>();
    return (trace) => {
      if (trace.media === null) return false;
      const first = firsts.get(trace.media);
      if (first === undefined) {
        firsts.set(trace.media, trace);
        return false;
      }
      const frames = repeated.get(trace.media) ?? [first];
      repeated.set(trace.media, frames);
      const isOneLook =
        frames.length < INDEPENDENCE.frame.assets && frames.every((frame) => isSameFrame(frame, trace));
      if (isOneLook) frames.push(trace);
      return !isOneLook;
    };
  },
};

/** Coordinates with few decimals coincide by chance, such as those of an address. */
function isPrecise(degrees: number): boolean {
  const scaled = Math.abs(degrees) * 10 ** (INDEPENDENCE.exactCopy.minDecimals - 1);
  return Math.abs(scaled - Math.round(scaled)) > 1e-4;
}

/** The principal of the first row under a key: later rows under it are its own, or copies. */
class Principals {
  readonly #numbers = new Map<string, number>();
  readonly #firsts = new KeyTable();

  /** Whether the first row with the key was another principal's. */
  meet(key: number, principal: string): boolean {
    const number = this.#numberOf(principal);
    const first = this.#firsts.get(key);
    if (first === 0) this.#firsts.set(key, number);
    return first !== 0 && first !== number;
  }

  #numberOf(principal: string): number {
    const known = this.#numbers.get(principal);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(principal, number);
    return number;
  }
}

/** The same exact place and time: the same asset once more, or another principal's row. */
function startReplays(): RowTest {
  const principals = new Principals();
  const looks = new KeyTable();
  return ({ lat, lng, instant, asset, principal }) => {
    const look = keyHash(lat, lng, instant, asset);
    const isRepeated = looks.get(look) !== 0;
    looks.set(look, 1);
    return principals.meet(keyHash(lat, lng, instant), principal) || isRepeated;
  };
}

/** The same exact place as another principal's row about the asset: two devices never agree to the decimeter. */
function startSharedDigits(): RowTest {
  const principals = new Principals();
  return ({ lat, lng, asset, principal, isCollective }) => {
    if (!isPrecise(lat) && !isPrecise(lng)) return false;
    return principals.meet(keyHash(lat, lng, asset), principal) && !isCollective;
  };
}

/**
 * A copy of an earlier row under a new id. Archives repeat the coordinates of an address and are skipped. Rows with a bare
 * date often do, too: they are never copies, but a row with a time can be a copy of one.
 */
export const exactCopy: RowCheck = {
  code: "exact_copy",
  start: () => {
    const isReplay = startReplays();
    const sharesDigits = startSharedDigits();
    return (trace, isSetAside) => {
      if (trace.isArchive) return false;
      const isShared = sharesDigits(trace, isSetAside); // remembers every row, so it comes first
      return !trace.isBareDate && (isReplay(trace, isSetAside) || isShared);
    };
  },
};

const BAND_PAIRS = [0, 1, 2, 3].flatMap((first) =>
  [1, 2, 3, 4].filter((second) => second > first).map((second) => [first, second] as const),
);
const FIRST_SIZE = 256;
const GROWTH = 4;
const NONE = -1;

/** A 64-bit hash as two halves: comparing numbers is much faster than comparing bigints. */
interface Halves {
  readonly high: number;
  readonly low: number;
}

function halvesOf(hash: bigint): Halves {
  return { high: Number(BigInt.asIntN(32, hash >> 32n)), low: Number(BigInt.asIntN(32, hash)) };
}

function setBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** One of the five bands, of 12 or 13 bits. */
function bandOf({ high, low }: Halves, band: number): number {
  if (band === 0) return high >>> 19;
  if (band === 1) return (high >>> 6) & 0x1fff;
  if (band === 2) return ((high & 0x3f) << 7) | (low >>> 25);
  return band === 3 ? (low >>> 12) & 0x1fff : low & 0xfff;
}

/** A hash of one pair of bands. Of looks that differ in at most three bits, at least two bands are equal. */
function keyOf(halves: Halves, first: number, second: number): number {
  const pair = (bandOf(halves, first) << 13) | bandOf(halves, second);
  const mixed = Math.imul(pair, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
}

/** Looks seen so far, found by pairs of bands. A search compares the newest ones only, so no flood makes it slow. */
class LookIndex {
  readonly #frames: Frame[] = [];
  #size = FIRST_SIZE; // slots of each pair of bands, and looks for which there is room
  #halves = new Int32Array(2 * FIRST_SIZE);
  #heads = new Int32Array(BAND_PAIRS.length * FIRST_SIZE).fill(NONE);
  #next = new Int32Array(BAND_PAIRS.length * FIRST_SIZE); // the look before under the same key

  /** Whether another picture looked nearly the same before. Adds the look. */
  meet(halves: Halves, frame: Frame): boolean {
    if (this.#frames.length === this.#size) this.#grow();
    const index = this.#frames.push(frame) - 1;
    this.#halves[2 * index] = halves.high;
    this.#halves[2 * index + 1] = halves.low;
    let isReused = false;
    BAND_PAIRS.forEach(([first, second], place) => {
      const head = this.#link(index, place, keyOf(halves, first, second));
      isReused ||= this.#hasNear(head, place, index);
    });
    return isReused;
  }

  /** Puts a look before the others under a key, and returns the first of them. */
  #link(index: number, place: number, key: number): number {
    const slot = place * this.#size + (key & (this.#size - 1));
    const head = this.#heads[slot] ?? NONE;
    this.#next[index * BAND_PAIRS.length + place] = head;
    this.#heads[slot] = index;
    return head;
  }

  #grow(): void {
    this.#size *= GROWTH;
    this.#halves = resized(this.#halves, 2 * this.#size);
    this.#heads = new Int32Array(BAND_PAIRS.length * this.#size).fill(NONE);
    this.#next = new Int32Array(BAND_PAIRS.length * this.#size);
    for (let index = 0; index < this.#frames.length; index++) {
      const halves = this.#halvesAt(index);
      BAND_PAIRS.forEach(([first, second], place) => {
        this.#link(index, place, keyOf(halves, first, second));
      });
    }
  }

  #hasNear(head: number, place: number, index: number): boolean {
    let other = head;
    for (let left = INDEPENDENCE.nearMedia.maxCandidates; left > 0 && other !== NONE; left--) {
      if (this.#isReuse(other, index)) return true;
      other = this.#next[other * BAND_PAIRS.length + place] ?? NONE;
    }
    return false;
  }

  #isReuse(earlier: number, later: number): boolean {
    const [a, b] = [this.#halvesAt(earlier), this.#halvesAt(later)];
    if (setBits(a.high ^ b.high) + setBits(a.low ^ b.low) > INDEPENDENCE.nearMedia.maxBits) return false;
    const [first, second] = [this.#frames[earlier], this.#frames[later]];
    if (first === undefined || second === undefined) return false;
    return !isSameFrame(first, second) && !isSecondPicture(first, second);
  }

  #halvesAt(index: number): Halves {
    return { high: this.#halves[2 * index] ?? 0, low: this.#halves[2 * index + 1] ?? 0 };
  }
}

function resized(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(numbers);
  return larger;
}

/** The picture looks like one used before: cropped, scaled or encoded again. Pictures without contrast are skipped. */
export const nearMedia: RowCheck = {
  code: "near_media",
  start: () => {
    const index = new LookIndex();
    return (trace) => {
      if (trace.mediaLook === null) return false;
      const halves = halvesOf(trace.mediaLook);
      const bits = setBits(halves.high) + setBits(halves.low);
      if (bits < INDEPENDENCE.nearMedia.minSetBits || bits > INDEPENDENCE.nearMedia.maxSetBits) return false;
      return index.meet(halves, trace);
    };
  },
};

const rule = INDEPENDENCE.copiedPublic;

interface SeenPlace extends Place {
  readonly principal: string;
  readonly day: number;
}

/** Where established principals saw a record, by published cell. Places close together are kept once. */
class SeenPlaces {
  readonly #places = new Map<string, SeenPlace[]>();

  /** Remembers the records and cells of these rows only. */
  constructor(wanted: readonly Trace[]) {
    for (const { record, cell } of wanted) this.#places.set(`${record} ${cell}`, []);
  }

  add({ record, cell, lat, lng, principal, acceptedDay }: Trace): void {
    const places = this.#places.get(`${record} ${cell}`);
    if (places === undefined) return;
    const place = { lat, lng, principal, day: acceptedDay };
    const isKnown = places.some(
      (other) => other.principal === principal && isWithin(rule.placeMeters, other, place),
    );
    if (!isKnown && places.length < rule.maxPlaces) places.push(place);
  }

  /** Places of others that were public when the row was accepted. */
  publicBefore({ record, cell, principal, acceptedDay }: Trace): readonly SeenPlace[] {
    const places = this.#places.get(`${record} ${cell}`) ?? [];
    return places.filter((place) => place.day < acceptedDay && place.principal !== principal);
  }
}

interface Tally {
  readonly traces: Trace[];
  misplaced: number;
}

/**
 * Principals of individual sources who see what is public, in the right cell at the wrong place, and found nothing that
 * was confirmed: the cell was copied, and the exact place guessed. Raises items; sets nothing aside.
 *
 * @param traces Rows that no check but standing sets aside.
 */
export function findCopiedPublic(
  traces: readonly Trace[],
  isEstablished: (principal: string) => boolean,
  discoverers: ReadonlySet<string>,
): readonly ReviewItem[] {
  const fixed = traces.filter(({ assetType }) => assetType !== "vehicle_wrap");
  const isSuspect = (trace: Trace) => !trace.isCollective && !discoverers.has(trace.principal);
  const places = new SeenPlaces(fixed.filter(isSuspect));
  const tallies = new Map<string, Tally>();
  for (const trace of fixed) {
    if (isSuspect(trace)) tally(tallies, trace, places.publicBefore(trace));
    if (isEstablished(trace.principal)) places.add(trace);
  }
  return [...tallies.values()].filter(isCopying).map(itemOf);
}

function tally(tallies: Map<string, Tally>, trace: Trace, places: readonly SeenPlace[]): void {
  if (places.length === 0) return;
  const known = tallies.get(trace.principal) ?? { traces: [], misplaced: 0 };
  tallies.set(trace.principal, known);
  known.traces.push(trace);
  if (!places.some((place) => isWithin(rule.meters, place, trace))) known.misplaced++;
}

function isCopying({ traces, misplaced }: Tally): boolean {
  return traces.length >= rule.rows && misplaced >= rule.share * traces.length;
}

function itemOf({ traces }: Tally): ReviewItem {
  const observers = [...new Set(traces.map(({ observer }) => observer))];
  return { check: "copied_public", record: null, observers, rows: traces.map(({ row }) => row) };
}
