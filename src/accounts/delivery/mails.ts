import { REPORT_OUTCOME_WORDS } from "../../contract/accounts/reports.ts";
import type { ReportOutcome } from "../../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import { DOES_NOT_PROVE, NO_RESULT, POSITIVE_RESULT } from "../../contract/records/claim-boundary.ts";

import { escapeHtml } from "../../kernel/text/markup.ts";
import { dayText } from "../../kernel/time.ts";
import {
  cityUrl,
  confirmUrl,
  eventUrl,
  manageUrl,
  neverUrl,
  recordUrl,
  reportUrl,
  unsubscribeUrl,
} from "../../resources/links.ts";
import type { ConfirmationMail, DigestMail, EndpointDisabledMail } from "./messages.ts";

/** Plain text and HTML of an email. Record names come from street signs, so all text is treated as hostile. */

/** Removes line breaks, control characters and direction marks. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
    .trim();
}

export type MailPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "small"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "list"; readonly items: readonly MailListItem[] };

export interface MailListItem {
  readonly title: string;
  readonly note: string;
  readonly url: string;
}

export function textBody(parts: readonly MailPart[]): string {
  return `${parts.map(textPart).join("\n\n")}\n`;
}

function textPart(part: MailPart): string {
  switch (part.kind) {
    case "text":
    case "small":
      return oneLine(part.text);
    case "link":
      return `${oneLine(part.label)}:\n${part.url}`;
    case "list":
      return part.items
        .map(({ title, note, url }) => `* ${oneLine(title)}\n  ${oneLine(note)}\n  ${url}`)
        .join("\n\n");
  }
}

export function htmlBody(title: string, parts: readonly MailPart[]): string {
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${safe(title)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">',
    ...parts.map(htmlPart),
    "</body></html>",
    "",
  ].join("\n");
}

function htmlPart(part: MailPart): string {
  switch (part.kind) {
    case "text":
      return `<p>${safe(part.text)}</p>`;
    case "small":
      return `<p style="color: #555; font-size: smaller">${safe(part.text)}</p>`;
    case "link":
      return `<p><a href="${escapeHtml(part.url)}">${safe(part.label)}</a></p>`;
    case "list":
      return `<ul>\n${part.items.map(htmlItem).join("\n")}\n</ul>`;
  }
}

function htmlItem({ title, note, url }: MailListItem): string {
  return `<li><a href="${escapeHtml(url)}">${safe(title)}</a><br>${safe(note)}</li>`;
}

function safe(text: string): string {
  return escapeHtml(oneLine(text));
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** One-click unsubscribe URL (RFC 8058); undefined for email without a subscription. */
  readonly unsubscribeUrl: string | undefined;
}

export interface SubscriptionLinks {
  readonly manage: string; // tokens
  readonly unsubscribe: string;
}

/** The service that an email comes from. */
export interface Sender {
  readonly baseUrl: string; // no trailing slash
  readonly service: string; // its name
}

/** `never` is the token by which the address refuses all email: whoever subscribed it need not be its owner. */
export function confirmationMail(
  { baseUrl, service }: Sender,
  { scope, token }: ConfirmationMail,
  never: string,
): MailContent {
  return content("Confirm your subscription", undefined, [
    text(`Someone, hopefully you, subscribed this email address to alerts about ${scope}.`),
    link("Confirm the subscription", confirmUrl(baseUrl, token)),
    text(
      `The link works once, for ${CONFIRMATION_HOURS} hours. If you did not subscribe, ignore this email: nothing else will be sent.`,
    ),
    ...neverParts(baseUrl, never),
    small(service),
  ]);
}

export function digestMail(
  { baseUrl, service }: Sender,
  digest: DigestMail,
  links: SubscriptionLinks,
): MailContent {
  const { scope, city, total, events } = digest;
  const more = total - events.length;
  const number = total === 1 ? "1 change" : `${total.toLocaleString("en")} changes`;
  return content(`${number}: ${scope}`, unsubscribeUrl(baseUrl, links.unsubscribe), [
    text(`${number} published about ${scope}. Days are in UTC, unless a sentence says otherwise.`),
    {
      kind: "list",
      items: events.map((event) => ({
        title: event.headline,
        note: `${dayText(event.detected_at)}. ${event.summary}`,
        url: eventUrl(recordUrl(baseUrl, event.entity_public_id), event.type),
      })),
    },
    ...(more > 0
      ? [link(`And ${more.toLocaleString("en")} more on the city page`, `${cityUrl(baseUrl, city)}#changes`)]
      : []),
    small(POSITIVE_RESULT),
    small(`It does not prove: ${DOES_NOT_PROVE.map(withoutStop).join("; ")}.`),
    small(`Where nothing is reported: ${NO_RESULT.meaning} ${NO_RESULT.limitation}`),
    link("Manage the subscription", manageUrl(baseUrl, links.manage)),
    link("Unsubscribe", unsubscribeUrl(baseUrl, links.unsubscribe)),
    small(service),
  ]);
}

export function endpointDisabledMail(
  { service }: Pick<Sender, "service">,
  { endpoint_host, reason }: EndpointDisabledMail,
): MailContent {
  return content(`Webhook endpoint disabled: ${endpoint_host}`, undefined, [
    text(`We disabled your webhook endpoint at ${endpoint_host}: ${reason}.`),
    text("Pending deliveries were dropped. Each city's change feed has the same events."),
    text("To enable it again, register the same URL again. It must pass verification and gets a new secret."),
    small(service),
  ]);
}

/** Reveals neither subject nor text of the report, because the address was never confirmed. */
export function reportResolvedMail(
  { baseUrl, service }: Sender,
  { id, receivedOn, outcome, isChange }: ResolvedReport,
  never: string,
): MailContent {
  return content("Decision on the problem you reported", undefined, [
    text(
      `On ${dayText(receivedOn)}, someone, hopefully you, reported a problem and left this email address. ${isChange ? "The decision has changed. " : ""}${REPORT_OUTCOME_WORDS[outcome]}`,
    ),
    link("View the report", reportUrl(baseUrl, id)),
    text("No action is needed. We send one email per decision."),
    ...neverParts(baseUrl, never),
    small(service),
  ]);
}

export interface ResolvedReport {
  readonly id: string;
  readonly receivedOn: string; // date, UTC
  readonly outcome: ReportOutcome;
  readonly isChange: boolean; // there was a decision before
}

function neverParts(baseUrl: string, token: string): MailPart[] {
  return [
    text("If others use your address without your consent, you can refuse all email from this service:"),
    link("Never write to this address again", neverUrl(baseUrl, token)),
  ];
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
