import { DEFAULT_MIN_CONFIDENCE } from "../../contract/accounts/alerts.ts";
import { EMAIL_WORDS } from "../../contract/accounts/delivery.ts";
import { EventType } from "../../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import type { Site } from "../site.ts";
import type { ResultPage } from "./search.ts";

const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  new_public_record: "a new record is published",
  new_observed_asset: "a new asset of a known record is observed",
  new_wrapped_fleet_asset: "a new wrapped vehicle is observed",
  stale_asset: "an asset has gone unseen although its area was visited",
  digital_gap_detected: "an online check of a record found no web presence",
};

/** Choices of the form on /alerts/. */
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

/** Removes code marks from a text. */
function plainText(words: string): string {
  return words.replaceAll("`", "");
}

/** Result pages of the forms. */
export const ALERT_RESULTS: readonly ResultPage[] = [
  // The server redirects to the page for its delivery setup; `delivery.note` in JSON has the same text.
  ...Object.values(EMAIL_WORDS).map(({ page, title, confirmation, more }) => ({
    path: page,
    title,
    text: plainText(confirmation),
    more,
  })),
  {
    path: "confirmed",
    title: "Subscription confirmed",
    text: "You will get an email when a release contains matching changes.",
    more: "Every email has links to change the subscription or to unsubscribe.",
  },
  {
    path: "expired",
    title: "This link does not work",
    text: `The link is incomplete, already used, or older than ${CONFIRMATION_HOURS} hours. Nothing was changed.`,
    more: "If you have already confirmed the subscription, it is active. Otherwise, subscribe again.",
  },
  {
    path: "paused",
    title: "Subscription paused",
    text: "Nothing is sent until you resume. Changes in the meantime are not sent later.",
    more: "To resume or unsubscribe, use the links in your emails.",
  },
  {
    path: "resumed",
    title: "Subscription resumed",
    text: "You will get emails again from the next release on.",
    more: "Every email has links to change the subscription or to unsubscribe.",
  },
  {
    path: "ended",
    title: "Unsubscribed",
    text: "Nothing more is sent, and your email address has been deleted from this subscription.",
    more: "If this was a mistake, subscribe again.",
  },
  {
    path: "refused",
    title: "No more email",
    text: "This service never writes to your address again. Its subscriptions have ended.",
    more: "If this was a mistake, write to the operator: subscribing again sends nothing.",
  },
];
