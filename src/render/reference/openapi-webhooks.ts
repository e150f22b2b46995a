import {
  TEST_TYPE,
  VERIFICATION_TYPE,
  WEBHOOK_CONTRACT,
  WITHDRAWAL_TYPE,
} from "../../contract/accounts/delivery.ts";
import type { WEBHOOK_MESSAGES } from "../../contract/accounts/webhook-messages.ts";
import { PulseResponse } from "../../contract/cities/pulse.ts";
import type { JsonObject, JsonValue } from "../../kernel/text/json.ts";
import { readExample } from "./examples.ts";

/** The messages to endpoints of webhooks, as requests that the service makes (OpenAPI 3.1, `webhooks`). */

interface Message {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly example: JsonValue;
}

const TIMESTAMP = "2026-06-29T00:05:00Z";
const RETRIES = `A failed attempt is repeated after ${WEBHOOK_CONTRACT.retry_delays_seconds.join(", ")} seconds, plus up to 20 % at random.`;

function messages(): Record<keyof typeof WEBHOOK_MESSAGES, Message> {
  const [event] = readExample("getPulse", PulseResponse).events;
  return {
    changeEvent: {
      operationId: "receiveChangeEvent",
      summary: "Receive a change event",
      description: `\`type\` is that of the event. ${WEBHOOK_CONTRACT.note} ${RETRIES}`,
      example: plain({ type: event?.type, timestamp: event?.detected_at, data: event }),
    },
    [VERIFICATION_TYPE]: {
      operationId: "receiveVerification",
      summary: "Prove that an endpoint wants messages",
      description: WEBHOOK_CONTRACT.verification.flow,
      example: { type: VERIFICATION_TYPE, timestamp: TIMESTAMP, data: { challenge: "EXAMPLE-ONLY" } },
    },
    [TEST_TYPE]: {
      operationId: "receiveTest",
      summary: "Receive a test",
      description: "Sent on request, once the endpoint is verified.",
      example: { type: TEST_TYPE, timestamp: TIMESTAMP, data: { webhook_public_id: "ex_wh_1" } },
    },
    [WITHDRAWAL_TYPE]: {
      operationId: "receiveWithdrawal",
      summary: "Learn which rows to delete from copies",
      description: WEBHOOK_CONTRACT.withdrawal.flow,
      example: {
        type: WITHDRAWAL_TYPE,
        timestamp: TIMESTAMP,
        data: {
          ...{ withdrawn_by: 140, part: 1, parts: 1, rows: [[120, 123]] },
          withdrawals_url: "https://presence.example/api/v1/withdrawals",
        },
      },
    },
  };
}

/** By name. `schemas` has those of the messages by the same names. */
export function webhooks(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(
    Object.entries(messages()).map(([name, { example, ...said }]) => [
      name,
      {
        post: {
          ...said,
          tags: ["Webhooks"],
          security: [], // the signature is in the headers
          parameters: Object.entries(WEBHOOK_CONTRACT.headers).map(([header, description]) => ({
            ...{ name: header, in: "header", required: true, description: String(description) },
            schema: { type: "string" },
          })),
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemas[name] ?? {}, example } },
          },
          responses: {
            "2XX": { description: WEBHOOK_CONTRACT.success },
            410: { description: "Disables the endpoint." },
          },
        },
      },
    ]),
  );
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
