import { Webhook as Signer } from "standardwebhooks";
import { WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import {
  beginningOf,
  type Fetch,
  fetchFailure,
  guardedFetch,
  hostProblem,
  isLoopback,
} from "../../kernel/public-fetch.ts";
import { SECOND_MS } from "../../kernel/time.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly id: string; // the same for every attempt
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
  /** No response: refused, unreachable, too slow or not trusted. */
  | { readonly kind: "failed"; readonly error: string };

/** Never throws: every receiver reaction is a result. */
export type WebhookSender = (request: WebhookRequest) => Promise<WebhookAnswer>;

const TIMEOUT_MS = WEBHOOK_DELIVERY.timeoutSeconds * SECOND_MS;
const MAX_ANSWER_BYTES = WEBHOOK_DELIVERY.answerBytes;
const USER_AGENT = "PresenceWebhooks/1.0";

/**
 * Sends under the rules of endpoint-url.ts. Resolved addresses are checked when connecting, so a name that later points to
 * a private address is refused. Redirects are not followed.
 */
export function webhookSender(rules: EndpointRules, timeoutMs = TIMEOUT_MS): WebhookSender {
  const guarded = guardedFetch((origin) => endpointProblem(origin.href, { ...rules, allowLoopback: false }));
  return async (request) => {
    const problem = endpointProblem(request.url, rules);
    if (problem !== undefined) return { kind: "failed", error: `the address ${problem}` };
    const send = isLoopback(new URL(request.url)) ? fetch : guarded;
    try {
      return await answerOf(await post(send, request, timeoutMs));
    } catch (error) {
      return { kind: "failed", error: fetchFailure(error) };
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
    body: (await beginningOf(response, MAX_ANSWER_BYTES)).toString("utf8"),
  };
}

/** Rules for webhook addresses, checked when an endpoint is created and at each delivery; resolved addresses are checked when connecting. */
export interface EndpointRules {
  /** Allows `http` and `https` to this machine on any port, for tests and development. */
  readonly allowLoopback: boolean;
  /** Ports allowed in addition to 443. */
  readonly ports: readonly number[];
}

const MAX_URL_LENGTH = 2048;

/** Returns why a URL is not allowed, as the end of a sentence, or undefined. */
export function endpointProblem(text: string, rules: EndpointRules): string | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null) return "must be an https:// address of at most 2,048 characters";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  if (rules.allowLoopback && isLoopback(url)) return undefined;
  if (url.protocol !== "https:") return "must be an https:// address";
  return hostProblem(url.hostname) ?? portProblem(url.port, rules.ports);
}

function portProblem(port: string, allowed: readonly number[]): string | undefined {
  return port === "" || allowed.includes(Number(port)) ? undefined : "must not name a port";
}
