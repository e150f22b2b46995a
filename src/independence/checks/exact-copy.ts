import { INDEPENDENCE } from "../parameters.ts";
import { keyHash } from "./key-hash.ts";
import { KeyTable } from "./key-table.ts";
import type { RowCheck, RowTest } from "./row-check.ts";

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
