import { slipsBetween } from "./slips.ts";

/** The known name that a mistyped one stands for. */

const LETTERS_PER_SLIP = 4;
const MAX_SLIPS = 3;

/** Ignores case, and `-` for `_`. Undefined where no name is near: a slip for every four letters, and one for a short name. */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  const name = folded(typed);
  const allowed = Math.max(1, Math.min(MAX_SLIPS, Math.floor(name.length / LETTERS_PER_SLIP)));
  let [nearest, fewest]: [string | undefined, number] = [undefined, allowed + 1];
  for (const each of known) {
    const slips = slipsBetween(name, folded(each), fewest - 1);
    if (slips < fewest) [nearest, fewest] = [each, slips];
  }
  return nearest;
}

/** Ends a message about a name that is not known. */
export function didYouMean(typed: string, known: Iterable<string>): string | undefined {
  const near = nearestName(typed, known);
  return near && `did you mean ${near}?`;
}

function folded(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
