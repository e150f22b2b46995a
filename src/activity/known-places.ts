import type { ReadContext } from "../resources/define.ts";

type PlaceQueries = Pick<ReadContext["snapshot"], "placeNamed">;

/** What a text means as a city; undefined for every other text, which is then dropped. */
export type Places = PlaceQueries["placeNamed"];

/** The places of the current release, asked anew each time because releases come and go; none before the first. */
export function placesOf(snapshot: () => PlaceQueries | undefined): Places {
  return (text) => snapshot()?.placeNamed(text);
}
