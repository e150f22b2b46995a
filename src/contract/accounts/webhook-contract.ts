import { z } from "zod";
import { EventType } from "../enums.ts";
import { Count } from "../fields.ts";
import { MAX_WEBHOOKS_PER_CLIENT, WEBHOOK_DELIVERY, WEBHOOK_SECRET_OVERLAP_HOURS } from "../limits.ts";
import type { DeliverySetup } from "./delivery-setup.ts";
import { webhookContractWords } from "./delivery-words.ts";

/** Messages that are no change events. */
export const VERIFICATION_TYPE = "webhook.verification";
export const TEST_TYPE = "webhook.test";

/** All that a receiver has to know (interface 4.15 and 6). */
export const WebhookContract = z.looseObject({
  available: z
    .boolean()
    .describe(
      "Whether the operator had delivery set up when the release was made: false, and deliveries wait.",
    ),
  signing: z.string(),
  specification: z.string(),
  registration: z.string(),
  verification: z.looseObject({ type: z.literal(VERIFICATION_TYPE), flow: z.string() }),
  test_type: z.literal(TEST_TYPE),
  event_types: z.array(EventType),
  headers: z
    .looseObject({
      "webhook-id": z.string(),
      "webhook-timestamp": z.string(),
      "webhook-signature": z.string(),
    })
    .describe("What each header holds."),
  secret: z.string(),
  payload: z
    .looseObject({ type: z.string(), timestamp: z.string(), data: z.string() })
    .describe("What each member of the JSON body holds."),
  success: z.string(),
  retry_delays_seconds: z
    .array(Count)
    .describe(
      "After each failed try; up to a fifth is added by chance. After the last the delivery is given up.",
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

/** As it is where everything is delivered. */
export const WEBHOOK_CONTRACT: z.infer<typeof WebhookContract> = {
  available: true,
  signing: "Standard Webhooks, symmetric scheme v1: HMAC-SHA256.",
  specification: "Standard Webhooks 1.0 (standardwebhooks.com); its libraries verify these messages.",
  registration:
    "POST /api/v1/partner/webhooks with a partner key, or POST /api/v1/alerts/subscribe with channel webhook. Doing it again with the same address gives a new secret.",
  verification: {
    type: VERIFICATION_TYPE,
    flow: `A new endpoint is sent a signed message of this type with data.challenge, and is active once it answers 2xx with that text, as it is or as {"challenge": "…"} in JSON. Each try has a challenge of its own, good for ${WEBHOOK_DELIVERY.challengeMinutes} minutes. Nothing else is sent before.`,
  },
  test_type: TEST_TYPE,
  event_types: [...EventType.options],
  headers: {
    "webhook-id":
      "Stable id of the delivery: the same for each try. Take a second one with a known id as a repeat.",
    "webhook-timestamp": "Time of this try, in seconds since 1970. Refuse what is more than 5 minutes away.",
    "webhook-signature":
      "One or more signatures with spaces between them: v1, a comma, and the base64 of the HMAC of id.timestamp.body. One that verifies is enough.",
  },
  secret: `whsec_ and the base64 of 32 bytes. It is told once; only a hash of it is stored. After a rotation each delivery is signed with the old and the new one for ${WEBHOOK_SECRET_OVERLAP_HOURS} hours.`,
  payload: {
    type: "One of event_types, or a type named above.",
    timestamp: "ISO 8601 in UTC: detected_at of the event.",
    data: "The event, as it stands in this feed (schema ChangeEvent).",
  },
  success:
    "Any status 2xx. A redirect is a failure and is not followed. Retry-After is honoured, up to a day.",
  retry_delays_seconds: [...WEBHOOK_DELIVERY.retryDelaysSeconds],
  disabled_when: [
    "It answers 410 Gone.",
    `It has taken nothing for ${WEBHOOK_DELIVERY.failingDays} days and ${WEBHOOK_DELIVERY.failingTries} tries. Its owner is told by mail.`,
  ],
  endpoint_rules: [
    "https on port 443, with a certificate that is trusted.",
    "A public host name: no IP address, no private network, no user name or password. Checked at every delivery.",
  ],
  limits: {
    timeout_seconds: WEBHOOK_DELIVERY.timeoutSeconds,
    payload_bytes: WEBHOOK_DELIVERY.payloadBytes,
    answer_bytes_read: WEBHOOK_DELIVERY.answerBytes,
    endpoints_per_client: MAX_WEBHOOKS_PER_CLIENT,
  },
  note: "Delivery is at least once and in no certain order. An event is delivered after the release that brings it is published.",
};

/** The contract with what is true of it under a setup. */
export function webhookContract(setup: DeliverySetup): z.infer<typeof WebhookContract> {
  return {
    ...WEBHOOK_CONTRACT,
    available: setup.webhooks,
    note: `${WEBHOOK_CONTRACT.note}${webhookContractWords(setup)}`,
  };
}
