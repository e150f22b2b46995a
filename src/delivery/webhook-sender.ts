import { safeDispatchFetchWrap, unicastLookup } from "@atproto-labs/fetch-node";
import { Webhook as Signer } from "standardwebhooks";
import { WEBHOOK_DELIVERY } from "../contract/limits.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { type EndpointRules, endpointProblem, isLoopback } from "./endpoint-url.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly id: string; // the same for every try
  readonly sentAt: number; // ms
  readonly body: string; // JSON
  readonly secrets: readonly string[]; // signed with each
}

export type WebhookAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | null;
      readonly body: string; // its first kilobyte
    }
  /** Nothing came back: refused, unreachable, too slow, not trusted. */
  | { readonly kind: "failed"; readonly error: string };

/** Never throws: whatever a receiver does is an answer. */
export type WebhookSender = (request: WebhookRequest) => Promise<WebhookAnswer>;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const TIMEOUT_MS = WEBHOOK_DELIVERY.timeoutSeconds * SECOND_MS;
const MAX_ANSWER_BYTES = WEBHOOK_DELIVERY.answerBytes;
const USER_AGENT = "PresenceWebhooks/1.0";

/**
 * Sends under the rules of endpoint-url.ts. Addresses are checked again when connecting, after the name is resolved, so a name that turns to a
 * private address between two deliveries is refused. A redirect is not followed.
 */
export function webhookSender(rules: EndpointRules, timeoutMs = TIMEOUT_MS): WebhookSender {
  const guarded = safeDispatchFetchWrap({
    checkUrl: (origin) => endpointProblem(origin.href, { ...rules, allowLoopback: false }),
    lookup: unicastLookup,
  });
  return async (request) => {
    const problem = endpointProblem(request.url, rules);
    if (problem !== undefined) return { kind: "failed", error: `the address ${problem}` };
    const send = isLoopback(new URL(request.url)) ? fetch : guarded;
    try {
      return await answerOf(await post(send, request, timeoutMs));
    } catch (error) {
      return { kind: "failed", error: failure(error) };
    }
  };
}

function post(
  send: Fetch,
  { url, id, sentAt, body, secrets }: WebhookRequest,
  timeoutMs: number,
): Promise<Response> {
  const time = new Date(sentAt);
  return send(url, {
    method: "POST",
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(sentAt / SECOND_MS)),
      "webhook-signature": secrets.map((secret) => new Signer(secret).sign(id, time, body)).join(" "),
    },
    body,
  });
}

async function answerOf(response: Response): Promise<WebhookAnswer> {
  return {
    kind: "answered",
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: await beginning(response),
  };
}

/** What is longer is cut off with its connection; a short answer is read to its end, so that the connection can be used again. */
async function beginning(response: Response): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString("utf8");
}

/** Short and without what the receiver wrote: a code such as ECONNREFUSED, or what the guard said. */
function failure(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}
