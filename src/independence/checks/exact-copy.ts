import { INDEPENDENCE, SAME_LOOK_MS } from "../parameters.ts";
import { KeyTable, keyHash } from "./key-table.ts";
import { type Frame, hasOwnTime, isSameFrame, type RowCheck, type RowTest } from "./rows.ts";

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
