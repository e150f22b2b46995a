import { EMAIL_WORDS } from "../contract/accounts/delivery-words.ts";
import { CONFIRMATION_HOURS } from "../contract/limits.ts";

/** Without the marks of code that the words have for programs. */
export function plainText(words: string): string {
  return words.replaceAll("`", "");
}

/** Pages that say what came of a form, by the last part of their path. */
export const ALERT_RESULTS: readonly {
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
