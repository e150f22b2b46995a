/** Invented businesses about which reviewers are asked: two of one name in one city, with one website, which one observer saw. */
import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import { benchObserverIds, benchSource } from "../../support/towns/observations.ts";

const WORDS =
  "Amber Birch Cedar Delta Fern Grove Harbor Iris Juniper Kite Linden Maple North Olive Pine Quartz River Stone Tulip Umber Violet Willow";
const APART_DEGREES = 0.03; // the two of a pair
const STEP_DEGREES = 0.002; // from pair to pair

/** Too little to join the two of a pair, since only one principal named the website, and enough to ask. Both are a source's of `registerTownSources`. */
export function waitingPairs(
  { lat, lng }: Pick<ObservationInput, "lat" | "lng">,
  observedOn: string,
): ObservationInput[] {
  return WORDS.split(" ").flatMap((word, at) => {
    const [observer = ""] = benchObserverIds(1).slice(at);
    return [0, APART_DEGREES].map((away) => ({
      source: benchSource("scout"),
      source_type: "scout" as const,
      source_ref: `pair-${word}-${away}`,
      observer,
      observed_at: observedOn,
      lat: lat + away,
      lng: lng + at * STEP_DEGREES,
      name: `${word} Twin Traders`,
      asset_type: "storefront" as const,
      website: `https://${word.toLowerCase()}-twins.example`,
    }));
  });
}
