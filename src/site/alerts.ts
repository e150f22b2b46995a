import { DEFAULT_MIN_CONFIDENCE } from "../contract/accounts/alerts.ts";
import { EMAIL_WORDS } from "../contract/accounts/delivery-words.ts";
import { EventType } from "../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../contract/limits.ts";
import { context } from "./site.ts";

const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  new_public_record: "a new record is published",
  new_observed_asset: "a new asset of a known record is observed",
  new_wrapped_fleet_asset: "a new wrapped vehicle is observed",
  stale_asset: "an asset has gone unseen although its area was visited",
  digital_gap_detected: "a record has no web presence that could be found",
};

/** What the form of /alerts/ offers. */
export function alertsPage() {
  return {
    cities: context.snapshot
      .cities()
      .map(({ slug, name, region }) => ({ slug, label: `${name}, ${region}` })),
    eventTypes: EventType.options.map((type) => ({ type, words: EVENT_WORDS[type] })),
    minConfidence: DEFAULT_MIN_CONFIDENCE,
    setup: plainText(EMAIL_WORDS[context.snapshot.release().delivery.email].setup),
  };
}

/** Without the marks of code that the words have for programs. */
function plainText(words: string): string {
  return words.replaceAll("`", "");
}

/** Where forms lead to when they have done what was asked. */
export const RESULTS: readonly {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly more: string;
}[] = [
  // The server leads to the one that is true of it; `delivery.note` of the JSON says the same.
  ...Object.values(EMAIL_WORDS).map(({ page, title, confirmation, more }) => ({
    path: page,
    title,
    text: plainText(confirmation),
    more,
  })),
  {
    path: "confirmed",
    title: "Alerts confirmed",
    text: "You will be told by mail when a release brings something that matches.",
    more: "Every mail has links to change or end the alerts.",
  },
  {
    path: "expired",
    title: "This link does not work",
    text: `The link is not whole, has been used already, or is older than ${CONFIRMATION_HOURS} hours. Nothing was changed.`,
    more: "If the alerts were confirmed already, they are active. Otherwise ask for them once more.",
  },
  {
    path: "paused",
    title: "Alerts paused",
    text: "Nothing is sent until you resume. What happens meanwhile is not sent later.",
    more: "The link in your mails leads back to where they can be resumed or ended.",
  },
  {
    path: "resumed",
    title: "Alerts resumed",
    text: "From the next release on you are told again.",
    more: "Every mail has links to change or end the alerts.",
  },
  {
    path: "ended",
    title: "Alerts ended",
    text: "Nothing more is sent, and the address has been deleted from this subscription.",
    more: "If it was a mistake, ask for the alerts once more.",
  },
];
