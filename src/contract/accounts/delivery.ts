import { z } from "zod";
import { EventType } from "../enums.ts";
import { Count } from "../fields.ts";
import {
  CONFIRMATION_HOURS,
  MAX_WEBHOOKS_PER_CLIENT,
  WEBHOOK_DELIVERY,
  WEBHOOK_SECRET_OVERLAP_HOURS,
} from "../limits.ts";

/** How the service handles outgoing email. */
export const EmailDelivery = z.enum(["sent", "written_to_files", "waiting"]);
export type EmailDelivery = z.infer<typeof EmailDelivery>;

/** Delivery as configured by the operator. It does not tell whether delivery is running at this moment. */
export const DeliverySetup = z.object({
  email: EmailDelivery,
  webhooks: z.boolean(), // webhooks are delivered
});
export type DeliverySetup = z.infer<typeof DeliverySetup>;

export const NO_DELIVERY: DeliverySetup = { email: "waiting", webhooks: false };

/** Folder below PRESENCE_HOME for the email of a demonstration without a mail server. */
export const EMAIL_FOLDER = "state/mail";

/** Delivery texts shared by responses and pages, so that all surfaces promise the same. */

interface EmailWords {
  /** Last path segment of the page shown after a request. */
  readonly page: string;
  readonly title: string;
  /** How the subscriber gets the confirmation email. */
  readonly confirmation: string;
  readonly more: string;
  /** Note shown next to the form; empty where email is sent normally. */
  readonly setup: string;
}

const FOLDER = `the folder ${EMAIL_FOLDER}/ of its home (PRESENCE_HOME, by default var/)`;

export const EMAIL_WORDS: Readonly<Record<EmailDelivery, EmailWords>> = {
  sent: {
    page: "check-your-mail",
    title: "Check your email",
    confirmation: `A confirmation link, good for ${CONFIRMATION_HOURS} hours, is on its way, unless the address refused our email or reached today's limit. Nothing else is sent until you confirm.`,
    more: "No email after a few minutes? Check the spam folder, or subscribe again.",
    setup: "",
  },
  written_to_files: {
    page: "email-in-a-file",
    title: "The email is in a file",
    confirmation: `This demonstration sends no email. It writes the confirmation email as an .eml file into ${FOLDER}. The link works for ${CONFIRMATION_HOURS} hours.`,
    more: "Open the newest file in that folder with an email program and follow its link.",
    setup: `This demonstration sends no email: it writes each one as an .eml file into ${FOLDER}, so you can try the whole process.`,
  },
  waiting: {
    page: "email-waits",
    title: "The email is waiting",
    confirmation: `Your request is stored, but the operator has not configured email yet, so the confirmation email is waiting. Unconfirmed requests expire after ${CONFIRMATION_HOURS} hours.`,
    more: "Subscribe again when email is available. Each city's feed has the same changes.",
    setup: "The operator has not configured email yet. Requests are stored, and their delivery waits.",
  },
};

/** How a reporter learns about a decision. */
export const REPORT_EMAIL_WORDS: Readonly<Record<EmailDelivery, string>> = {
  sent: "When the operator decides, you get one email with the decision.",
  written_to_files: `When the operator decides, this demonstration writes one email with the decision as an .eml file into ${FOLDER}.`,
  waiting:
    "When the operator decides, you get one email with the decision, provided that the operator has configured email by then.",
};

/** Returns the delivery sentence. `message` is its subject: `A webhook.test message`. */
export function queuedWebhookWords(message: string, { webhooks }: DeliverySetup): string {
  return webhooks
    ? `${message} is on its way.`
    : `${message} is queued. It waits because delivery is currently off.`;
}

/** Sentence that the webhook contract adds while some deliveries wait. */
export function webhookContractWords({ email, webhooks }: DeliverySetup): string {
  if (!webhooks) return " Delivery is currently off: registrations are stored, and deliveries wait.";
  if (email !== "waiting") return "";
  return " Email is currently off: registrations through alerts/subscribe wait for confirmation; registrations with a partner key do not.";
}

const MAX_ENDPOINT_URL = 2000;

/** Syntax of a webhook URL. The sender checks at each delivery where it may lead. */
export const WebhookUrl = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
  .max(MAX_ENDPOINT_URL, `must be at most ${MAX_ENDPOINT_URL} characters long`)
  .refine((url) => URL.canParse(url), "must be an absolute https URL")
  .overwrite((url) => URL.parse(url)?.href ?? url)
  .meta({ format: "uri" });

/** Message types other than change events. */
export const VERIFICATION_TYPE = "webhook.verification";
export const TEST_TYPE = "webhook.test";
export const WITHDRAWAL_TYPE = "ledger.withdrawal";

/** The contract for webhook receivers (interface 4.15 and 6). */
export const WebhookContract = z.looseObject({
  available: z
    .boolean()
    .describe("True when delivery was configured at the time of the release. When false, deliveries wait."),
  signing: z.string(),
  specification: z.string(),
  registration: z.string(),
  verification: z.looseObject({ type: z.literal(VERIFICATION_TYPE), flow: z.string() }),
  test_type: z.literal(TEST_TYPE),
  withdrawal: z
    .looseObject({ type: z.literal(WITHDRAWAL_TYPE), flow: z.string() })
    .describe("How endpoints learn which rows to delete from their copies."),
  event_types: z.array(EventType),
  headers: z
    .looseObject({
      "webhook-id": z.string(),
      "webhook-timestamp": z.string(),
      "webhook-signature": z.string(),
    })
    .describe("Meaning of each header."),
  secret: z.string(),
  payload: z
    .looseObject({ type: z.string(), timestamp: z.string(), data: z.string() })
    .describe("Meaning of each field of the JSON body."),
  success: z.string(),
  retry_delays_seconds: z
    .array(Count)
    .describe(
      "Delay in seconds after each failed attempt, plus up to 20 % at random. After the last attempt the delivery is abandoned.",
    ),
  disabled_when: z.array(z.string()),
  endpoint_rules: z.array(z.string()),
  limits: z.looseObject({
    timeout_seconds: Count,
    payload_bytes: Count,
    answer_bytes_read: Count,
    endpoints_per_client: Count,
  }),
  note: z.string(),
});

/** The contract of a service that delivers everything. */
export const WEBHOOK_CONTRACT: z.infer<typeof WebhookContract> = {
  available: true,
  signing: "Standard Webhooks, symmetric scheme v1: HMAC-SHA256.",
  specification: "Standard Webhooks 1.0 (standardwebhooks.com); its libraries verify these messages.",
  registration:
    "POST /api/v1/partner/webhooks with a partner key, or POST /api/v1/alerts/subscribe with channel webhook. Registering the same URL again returns a new secret. A subscription starts with POST /api/v1/alerts/confirm and the token of its email; POST /api/v1/alerts/manage with the manage_token of that answer pauses, resumes, changes or ends it.",
  verification: {
    type: VERIFICATION_TYPE,
    flow: `A new endpoint receives a signed message of this type with data.challenge. The endpoint becomes active when it answers 2xx and returns the challenge, as plain text or as {"challenge": "…"} in JSON. Each attempt has its own challenge, valid for ${WEBHOOK_DELIVERY.challengeMinutes} minutes. Nothing else is sent until then. Start your receiver first, then store the secret; to have the challenge sent again, POST /api/v1/partner/webhooks/{public_id}/verify.`,
  },
  test_type: TEST_TYPE,
  withdrawal: {
    type: WITHDRAWAL_TYPE,
    flow: "Every active endpoint receives every withdrawal, whatever its filters: data.rows are the withdrawn ledger rows as ranges [first, last], both ends included; data.withdrawn_by is the row that withdrew them: an erasure, or the undoing of a batch that made them. A long list comes in data.parts messages. Delete data based on these rows: entity_row or asset_row of an event, rows of a record or citation. /api/v1/withdrawals has the whole list, for an endpoint that was disabled meanwhile.",
  },
  event_types: [...EventType.options],
  headers: {
    "webhook-id":
      "Stable id of the delivery, the same for each attempt. Treat a message with a known id as a repeat.",
    "webhook-timestamp":
      "Time of this attempt, in seconds since 1970. Reject messages more than 5 minutes off.",
    "webhook-signature":
      "One or more signatures, separated by spaces: v1, a comma, and the base64 of the HMAC of id.timestamp.body. One valid signature is enough.",
  },
  secret: `whsec_ and the base64 of 32 bytes. It is returned once, and the service cannot show it again. For ${WEBHOOK_SECRET_OVERLAP_HOURS} hours after a rotation, each delivery is signed with both the old and the new secret.`,
  payload: {
    type: "One of event_types, or a message type named above.",
    timestamp: "ISO 8601 in UTC: detected_at of the event; data time of the release for a withdrawal.",
    data: "The event as in this feed (schema ChangeEvent).",
  },
  success:
    "Any 2xx status. Redirects count as failures and are not followed. Retry-After is honored, up to a day.",
  retry_delays_seconds: [...WEBHOOK_DELIVERY.retryDelaysSeconds],
  disabled_when: [
    "The endpoint answers 410 Gone.",
    `All attempts failed for ${WEBHOOK_DELIVERY.failingDays} days, at least ${WEBHOOK_DELIVERY.failingTries} of them. The owner is notified by email.`,
  ],
  endpoint_rules: [
    "https on port 443, with a trusted certificate.",
    "A public host name: no IP address, private network, user name or password. Checked at every delivery.",
  ],
  limits: {
    timeout_seconds: WEBHOOK_DELIVERY.timeoutSeconds,
    payload_bytes: WEBHOOK_DELIVERY.payloadBytes,
    answer_bytes_read: WEBHOOK_DELIVERY.answerBytes,
    endpoints_per_client: MAX_WEBHOOKS_PER_CLIENT,
  },
  note: "Delivery is at least once and in any order. An event is delivered after the release that contains it is published.",
};

/** Returns the contract adapted to the operator's delivery setup. */
export function webhookContract(setup: DeliverySetup): z.infer<typeof WebhookContract> {
  return {
    ...WEBHOOK_CONTRACT,
    available: setup.webhooks,
    note: `${WEBHOOK_CONTRACT.note}${webhookContractWords(setup)}`,
  };
}
