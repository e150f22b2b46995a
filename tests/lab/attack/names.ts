/** Names of invented businesses, each of them once. */

const FIRST =
  "Amber Birch Cedar Delta Ember Fern Grove Harbor Iris Juniper Kite Linden Maple North Olive".split(" ");
const SECOND =
  "Anvil Beacon Canyon Dune Eagle Falcon Garnet Heron Indigo Jasper Kestrel Lagoon Meadow Nectar".split(" ");
const TRADES = ["Pizza", "Dental", "Plumbing", "Books", "Bakery", "Flowers", "Hotel", "Pharmacy"];

/** Different for all numbers below 1,680. */
export function businessName(number: number): string {
  const word = (words: readonly string[], at: number) => words[at % words.length] ?? "";
  return `${word(FIRST, number)} ${word(SECOND, Math.floor(number / FIRST.length))} ${word(TRADES, number)}`;
}
