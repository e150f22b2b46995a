import type { Figures } from "./measures.ts";

const MAX_LOSS = 0.002;
const MAX_ITEMS_PER_HUNDRED = 3;
const MIN_NEAR_PRECISION = 0.99;
const COMPARED = ["recordPrecision", "recordRecall", "assetPrecision", "assetRecall"] as const;

/** What misses a bound, in words. */
export function boundFaults(here: readonly Figures[], there: readonly Figures[]): string[] {
  return here.flatMap((own) => {
    const other = there.find(({ set }) => set === own.set);
    const lost = COMPARED.filter((name) => other !== undefined && own[name] < other[name] - MAX_LOSS);
    return [
      ...lost.map((name) => `${own.set}: ${name} ${own[name].toFixed(4)}, there ${other?.[name].toFixed(4)}`),
      ...(own.itemsPerHundred > MAX_ITEMS_PER_HUNDRED
        ? [`${own.set}: ${own.itemsPerHundred.toFixed(1)} items per hundred records`]
        : []),
      ...(own.near.precision < MIN_NEAR_PRECISION
        ? [`${own.set}: precision ${own.near.precision.toFixed(4)} of what near names joined`]
        : []),
    ];
  });
}
