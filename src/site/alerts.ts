import { DEFAULT_MIN_CONFIDENCE } from "../contract/accounts/alerts.ts";
import { EMAIL_WORDS } from "../contract/accounts/delivery-words.ts";
import { EventType } from "../contract/enums.ts";
import { plainText } from "./alert-results.ts";
import type { Site } from "./site.ts";

const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  new_public_record: "a new record is published",
  new_observed_asset: "a new asset of a known record is observed",
  new_wrapped_fleet_asset: "a new wrapped vehicle is observed",
  stale_asset: "an asset has gone unseen although its area was visited",
  digital_gap_detected: "a record has no web presence that could be found",
};

/** What the form of /alerts/ offers. */
export function alertsPage({ context, release }: Site) {
  return {
    cities: context.snapshot
      .cities()
      .map(({ slug, name, region }) => ({ slug, label: `${name}, ${region}` })),
    eventTypes: EventType.options.map((type) => ({ type, words: EVENT_WORDS[type] })),
    minConfidence: DEFAULT_MIN_CONFIDENCE,
    setup: plainText(EMAIL_WORDS[release.delivery.email].setup),
  };
}
