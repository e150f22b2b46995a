import { INDEPENDENCE } from "../parameters.ts";
import { type Frame, isSameFrame, isSecondPicture, type RowCheck } from "./rows.ts";

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
