import { REPORT_OUTCOME_WORDS } from "../../contract/accounts/reports.ts";
import type { ConfidenceLabel, ReportOutcome } from "../../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import {
  DOES_NOT_PROVE,
  NO_RESULT,
  POSITIVE_RESULT,
  SERVICE,
} from "../../contract/records/claim-boundary.ts";
import {
  cityUrl,
  confirmUrl,
  manageUrl,
  recordUrl,
  reportUrl,
  unsubscribeUrl,
} from "../../resources/links.ts";
import { htmlBody, type MailPart, oneLine, textBody } from "./mail-text.ts";
import type { ConfirmationMail, DigestMail, EndpointDisabledMail } from "./messages.ts";

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where the mail program unsubscribes by itself (RFC 8058); undefined for mail that nobody subscribed to. */
  readonly unsubscribeUrl: string | undefined;
}

export interface SubscriptionLinks {
  readonly manage: string; // tokens
  readonly unsubscribe: string;
}

const CONFIDENCE_TEXT: Readonly<Record<ConfidenceLabel, string>> = {
  ledger: "Confidence: recorded in the ledger",
  derived: "Confidence: derived from what was recorded",
  review_needed: "Confidence: low, a review is needed",
};

/** Whoever did not ask for it need not do anything. */
export function confirmationMail(baseUrl: string, { scope, token }: ConfirmationMail): MailContent {
  return content("Please confirm your alerts", undefined, [
    text(`Somebody, we hope you, asked for alerts by mail about ${scope}.`),
    link("Confirm with one click on the page behind this link", confirmUrl(baseUrl, token)),
    text(
      `The link works once, for ${CONFIRMATION_HOURS} hours. If you did not ask, do nothing: no alert will be sent.`,
    ),
    small(SERVICE),
  ]);
}

export function digestMail(baseUrl: string, digest: DigestMail, links: SubscriptionLinks): MailContent {
  const { scope, city, total, events } = digest;
  const more = total - events.length;
  const number = total === 1 ? "1 change" : `${total.toLocaleString("en")} changes`;
  return content(`${number}: ${scope}`, unsubscribeUrl(baseUrl, links.unsubscribe), [
    text(`${number} published about ${scope}.`),
    {
      kind: "list",
      items: events.map((event) => ({
        title: event.headline,
        note: `${event.detected_at.slice(0, 10)}. ${CONFIDENCE_TEXT[event.confidence_label]}.`,
        url: recordUrl(baseUrl, event.entity_public_id),
      })),
    },
    ...(more > 0
      ? [link(`And ${more.toLocaleString("en")} more, on the page of the city`, cityUrl(baseUrl, city))]
      : []),
    small(POSITIVE_RESULT),
    small(`It does not prove: ${DOES_NOT_PROVE.map(withoutStop).join("; ")}.`),
    small(`Where nothing is reported: ${NO_RESULT.meaning} ${NO_RESULT.limitation}`),
    link("Pause, change or end these alerts", manageUrl(baseUrl, links.manage)),
    link("Unsubscribe", unsubscribeUrl(baseUrl, links.unsubscribe)),
    small(SERVICE),
  ]);
}

export function endpointDisabledMail({ endpoint_host, reason }: EndpointDisabledMail): MailContent {
  return content(`Webhook deliveries to ${endpoint_host} are switched off`, undefined, [
    text(`We have stopped sending webhooks to your endpoint at ${endpoint_host}: ${reason}.`),
    text("What was still waiting for it was dropped. The same changes are in the pulse feed of each city."),
    text(
      "To switch it on again, register the same address once more; it is verified anew and gets a new secret.",
    ),
    small(SERVICE),
  ]);
}

/** Says neither what the report was about nor what stood in it: the address was never confirmed. */
export function reportResolvedMail(
  baseUrl: string,
  { id, receivedOn, outcome, isChange }: ResolvedReport,
): MailContent {
  return content("About the problem that you reported", undefined, [
    text(
      `On ${receivedOn} somebody, we hope you, reported a problem to us and left this address. ${isChange ? "It was decided about anew. " : ""}${REPORT_OUTCOME_WORDS[outcome]}`,
    ),
    link("What became of the report", reportUrl(baseUrl, id)),
    text("You need not do anything, and we send no more than this about a decision."),
    small(SERVICE),
  ]);
}

export interface ResolvedReport {
  readonly id: string;
  readonly receivedOn: string; // date, UTC
  readonly outcome: ReportOutcome;
  readonly isChange: boolean; // there was a decision before
}

function content(subject: string, unsubscribe: string | undefined, parts: readonly MailPart[]): MailContent {
  const line = oneLine(subject);
  return {
    subject: line,
    text: textBody(parts),
    html: htmlBody(line, parts),
    unsubscribeUrl: unsubscribe,
  };
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

function text(words: string): MailPart {
  return { kind: "text", text: words };
}

function small(words: string): MailPart {
  return { kind: "small", text: words };
}

function link(label: string, url: string): MailPart {
  return { kind: "link", label, url };
}
