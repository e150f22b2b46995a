import type { ReadContext } from "../resources/define.ts";

type PlaceQueries = Pick<ReadContext["snapshot"], "placeNamed">;

/** Resolves a text to a city; undefined for every other text, which is then dropped. */
export type Places = PlaceQueries["placeNamed"];

/** The places of the current release at each call; none before the first release. */
export function placesOf(snapshot: () => PlaceQueries | undefined): Places {
  return (text) => snapshot()?.placeNamed(text);
}
