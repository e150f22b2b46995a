import { z } from "zod";
import { TEST_TYPE, VERIFICATION_TYPE, WITHDRAWAL_TYPE } from "../../contract/accounts/delivery.ts";
import {
  EventMessage,
  TestMessage,
  VerificationMessage,
  WithdrawalMessage,
} from "../../contract/accounts/webhook-messages.ts";
import { ChangeEvent } from "../../contract/cities/pulse.ts";
import { ReportOutcome } from "../../contract/enums.ts";
import { Count } from "../../contract/fields.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { NewDelivery, Outbox } from "../../state/delivery/outbox.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { Report } from "../../state/reports.ts";

/**
 * Messages of the outbox. Addresses are looked up when a message is sent. Only a confirmation contains one, because no
 * subscription exists yet; it is deleted once its email is sent or abandoned.
 */

/** The target is the subscription. */
const ConfirmationMail = z.object({
  message: z.literal("confirmation"),
  address: z.string(),
  token: z.string(),
  scope: z.string().describe("Scope of the subscription in words."),
  record: z.string().nullable().describe("Public id of the record named in `scope`."),
});

const DigestEvent = ChangeEvent.pick({
  id: true,
  type: true,
  headline: true,
  summary: true,
  detected_at: true,
  entity_public_id: true,
}).strip();

/** The target is the subscription. */
const DigestMail = z.object({
  message: z.literal("digest"),
  scope: z.string(),
  city: z.string().describe("Slug."),
  total: Count.describe("Number of matching events; the first ones are listed."),
  events: z.array(DigestEvent),
  unlisted: z
    .record(z.string(), Count)
    .describe("Further events by public id of their record, so that its opt-out lowers the total."),
});

/** Sent to the owner of the target endpoint. */
const EndpointDisabledMail = z.object({
  message: z.literal("endpoint_disabled"),
  endpoint_host: z.string(),
  reason: z.string(),
});

/** The target is the report. The message contains none of its data. */
const ReportResolvedMail = z.object({
  message: z.literal("report_resolved"),
  outcome: ReportOutcome,
  decision: Count.describe("Number of the decision: 1 for the first."),
});

export const MailMessage = z.discriminatedUnion("message", [
  ConfirmationMail,
  DigestMail,
  EndpointDisabledMail,
  ReportResolvedMail,
]);
export type MailMessage = z.infer<typeof MailMessage>;
export type ConfirmationMail = z.infer<typeof ConfirmationMail>;
export type DigestMail = z.infer<typeof DigestMail>;
export type ReportResolvedMail = z.infer<typeof ReportResolvedMail>;
export type EndpointDisabledMail = z.infer<typeof EndpointDisabledMail>;

/** The challenge is created on sending, because it is valid for an hour and retries may be later. */
const VerificationRequest = VerificationMessage.omit({ data: true });

export const WebhookMessage = z.union([VerificationRequest, TestMessage, EventMessage, WithdrawalMessage]);
export type WebhookMessage = z.infer<typeof WebhookMessage>;

/** Maximum number of events listed in a digest. */
export const MAX_DIGEST_EVENTS = 20;

export interface Confirmation {
  readonly subscriptionPublicId: string;
  readonly address: string;
  readonly token: string;
  readonly scope: string; // of `scopeWords`
  readonly entityPublicId: string | null;
}

/** Each request has its own token and email. */
export function enqueueConfirmation(outbox: Outbox, confirmation: Confirmation): Promise<number> {
  const { subscriptionPublicId, address, token, scope, entityPublicId } = confirmation;
  return outbox.enqueue([
    mail(`${subscriptionPublicId}:confirmation:${sha256Hex(token).slice(0, 16)}`, subscriptionPublicId, {
      message: "confirmation",
      address,
      token,
      scope,
      record: entityPublicId,
    }),
  ]);
}

/** Queued once per secret, and only for a pending endpoint; returns 0 otherwise. */
export async function enqueueVerification(
  outbox: Outbox,
  webhook: Webhook,
  timestamp: string,
): Promise<number> {
  if (webhook.status !== "pending") return 0;
  const key = `${webhook.publicId}:verification:${webhook.rotation}`;
  return outbox.enqueue([webhookItem(key, webhook, { type: VERIFICATION_TYPE, timestamp })]);
}

/** `nonce` distinguishes tests. Only for a verified endpoint; returns 0 otherwise. */
export async function enqueueTest(
  outbox: Outbox,
  webhook: Webhook,
  nonce: string,
  timestamp: string,
): Promise<number> {
  if (webhook.status !== "active") return 0;
  const data = { webhook_public_id: webhook.publicId };
  const key = `${webhook.publicId}:test:${nonce}`;
  return outbox.enqueue([webhookItem(key, webhook, { type: TEST_TYPE, timestamp, data })]);
}

/** Notifies the owner. Cancel the endpoint's deliveries first, because this message has the same target. */
export function enqueueEndpointDisabled(outbox: Outbox, webhook: Webhook, reason: string): Promise<number> {
  const { publicId, endpointUrl, rotation } = webhook;
  return outbox.enqueue([
    mail(`${publicId}:disabled:${rotation}`, publicId, {
      message: "endpoint_disabled",
      endpoint_host: new URL(endpointUrl).host,
      reason,
    }),
  ]);
}

/** One per decision, if the reporter left an address. */
export function enqueueReportResolved(
  outbox: Outbox,
  { publicId, email, resolutions }: Report,
): Promise<number> {
  const last = resolutions.at(-1);
  if (email === null || last === undefined) return Promise.resolve(0);
  const decision = resolutions.length;
  return outbox.enqueue([
    mail(`${publicId}:resolved:${decision}`, publicId, {
      message: "report_resolved",
      outcome: last.outcome,
      decision,
    }),
  ]);
}

/** One per subscription and release. */
export function digestItem(
  subscriptionPublicId: string,
  releaseId: string,
  {
    scope,
    city,
    events,
  }: { readonly scope: string; readonly city: string; readonly events: readonly ChangeEvent[] },
): NewDelivery {
  return mail(`${subscriptionPublicId}:digest:${releaseId}`, subscriptionPublicId, {
    message: "digest",
    scope,
    city,
    total: events.length,
    events: events.slice(0, MAX_DIGEST_EVENTS).map((event) => DigestEvent.parse(event)),
    unlisted: countsByRecord(events.slice(MAX_DIGEST_EVENTS)),
  });
}

function countsByRecord(events: readonly ChangeEvent[]): Record<string, number> {
  const byRecord = Map.groupBy(events, ({ entity_public_id }) => entity_public_id);
  return Object.fromEntries(Array.from(byRecord, ([record, { length }]) => [record, length]));
}

/** One per endpoint and event, regardless of the release. */
export function eventItem(webhook: Pick<Webhook, "publicId">, event: ChangeEvent): NewDelivery {
  const { id, type, detected_at } = event;
  return webhookItem(`${webhook.publicId}:event:${id}`, webhook, {
    type,
    timestamp: detected_at,
    data: event,
  });
}

/** One per endpoint and part of a withdrawal, regardless of the release. */
export function withdrawalItem(
  webhook: Webhook,
  data: WithdrawalMessage["data"],
  timestamp: string,
): NewDelivery {
  const key = `${webhook.publicId}:withdrawal:${data.withdrawn_by}.${data.part}`;
  return webhookItem(key, webhook, { type: WITHDRAWAL_TYPE, timestamp, data });
}

/** For `State.forgetRecord`: removes an opted-out record from pending and sent messages. */
export function withoutRecord(publicId: string): (payload: string) => string | undefined {
  return (payload) => {
    const digest = DigestMail.safeParse(readJson(payload));
    if (!digest.success) return undefined;
    const { [publicId]: uncounted = 0, ...unlisted } = digest.data.unlisted;
    const events = digest.data.events.filter((event) => event.entity_public_id !== publicId);
    const total = digest.data.total - uncounted - (digest.data.events.length - events.length);
    if (total === 0) return undefined;
    return JSON.stringify({ ...digest.data, total, events, unlisted } satisfies DigestMail);
  };
}

function mail(key: string, target: string, message: MailMessage): NewDelivery {
  return { key, kind: "mail", target, payload: JSON.stringify(message) };
}

function webhookItem(
  key: string,
  { publicId }: Pick<Webhook, "publicId">,
  message: WebhookMessage,
): NewDelivery {
  return { key, kind: "webhook", target: publicId, payload: JSON.stringify(message) };
}

/** Returns undefined for invalid JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
