import { EMAIL_WORDS } from "../../contract/accounts/delivery.ts";
import { REMOVAL_STATUS_WORDS } from "../../contract/accounts/removals.ts";
import {
  REPORT_KIND_WORDS,
  REPORT_OPEN_WORDS,
  REPORT_OUTCOME_WORDS,
} from "../../contract/accounts/reports.ts";
import { ReportKind, ReportOutcome } from "../../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import { utcDate } from "../../render/words/format.ts";
import type { Site } from "../site.ts";

/** A page that says what became of a posted form. */
export interface ResultPage {
  readonly path: string; // last segment of its address
  readonly title: string;
  readonly text: string;
  readonly more: string; // what may follow
}

/** What the form on /alerts/ offers. */
export function alertsPage({ context, release }: Site) {
  return {
    cities: context.snapshot
      .cities()
      .map(({ slug, name, region }) => ({ slug, label: `${name}, ${region}` })),
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
    text: "We notify you when a release contains matching changes.",
    more: "Every email has links to change the subscription or to unsubscribe.",
  },
  {
    path: "changed",
    title: "Subscription changed",
    text: "The new choice counts from the next release on.",
    more: "To see it, or to change it again, open the link “Manage the subscription” in an email.",
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

/** How long decisions on reports took, where that was measured. */
export function decisionTime({ context }: Site): string {
  const { median_days_to_resolution: days, reports_from: since } = context.snapshot.reportCounts();
  if (days === null || since === null)
    return "There is no fixed time, and no recent decision to measure one by.";
  return `There is no fixed time. Half of the reports received and decided since ${utcDate(since)} took at most ${days} ${days === 1 ? "day" : "days"}.`;
}

/** Choices of the form on /report/. */
export const REPORT_KINDS = ReportKind.options.map((kind) => ({ kind, words: REPORT_KIND_WORDS[kind] }));

const OUTCOMES: Readonly<Record<ReportOutcome, { readonly title: string; readonly more: string }>> = {
  upheld: {
    title: "Report confirmed",
    more: "The decision is a row of the ledger. Pages and numbers show it from the first release that contains this row.",
  },
  not_upheld: {
    title: "Report not confirmed",
    more: "If you have evidence, report the problem again and explain how to check it.",
  },
  duplicate: {
    title: "Already reported",
    more: "The outcome of the earlier report also applies to this one.",
  },
  withdrawn: { title: "Withdrawn", more: "It led to no changes." },
  out_of_scope: { title: "Out of scope", more: "It led to no changes." },
};

/** Result pages of the forms, with the paths of the server's report forms. */
export const REPORT_RESULTS: readonly ResultPage[] = [
  {
    path: "open",
    title: "Not yet decided",
    text: REPORT_OPEN_WORDS,
    more: "Check again later with the same reference.",
  },
  {
    path: "unknown",
    title: "No such report",
    text: "We found no report with that reference.",
    more: "A reference is rep_ followed by sixteen letters and digits. Check that yours is complete.",
  },
  ...ReportOutcome.options.map((outcome) => ({
    path: outcome.replaceAll("_", "-"),
    text: REPORT_OUTCOME_WORDS[outcome],
    ...OUTCOMES[outcome],
  })),
];

/** Result pages of the forms for owners, with the paths of the server's removal forms. */
export const OPT_OUT_RESULTS: readonly ResultPage[] = [
  {
    path: "requested",
    title: "Request sent",
    text: REMOVAL_STATUS_WORDS.requested,
    more: "When the record is removed, its page and data disappear. Check the request again to see the decision.",
  },
  {
    path: "not-found",
    title: "Token not found",
    text: "We found the token neither in the DNS of the website nor at its well-known address.",
    more: "DNS records take up to a day until they are visible everywhere. Go back and check again later.",
  },
  {
    path: "carried-out",
    title: "Record removed",
    text: REMOVAL_STATUS_WORDS.carried_out,
    more: "Its page and data are gone. If search engines still show it, ask them to look again.",
  },
  {
    path: "declined",
    title: "Request declined",
    text: REMOVAL_STATUS_WORDS.declined,
    more: "Contact the operator to ask for the reason.",
  },
  {
    path: "unknown",
    title: "No such request",
    text: "We found no request with that id.",
    more: "A request that is not proven in time is deleted: start a new one.",
  },
];
