import { SAME_LOOK_MS } from "../parameters.ts";
import { hasOwnTime, type RowCheck } from "./row-check.ts";

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
