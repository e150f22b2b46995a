import { VERIFICATION_TYPE } from "../../contract/accounts/delivery.ts";
import type { Delivery, Outcome } from "../../state/delivery/outbox.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { State } from "../../state/open-state.ts";
import {
  type Attempt,
  dropped,
  type ReceiverHealth,
  retryAfterMs,
  retryDelay,
  retryOrDead,
  timed,
  type WorkerDeps,
} from "./attempt.ts";
import { readJson, WebhookMessage } from "./messages.ts";
import type { WebhookAnswer } from "./webhook-sender.ts";

const GONE = 410;

/** `endpoint` is the reason when it must not be sent to. */
export type Endpoint = Webhook | { readonly refusal: string };

/** One attempt. A verification requires its challenge in the response; all other messages require only a 2xx. */
export async function deliverWebhook(
  deps: WorkerDeps,
  delivery: Delivery,
  endpoint: Endpoint,
): Promise<Attempt> {
  const now = deps.clock();
  if ("refusal" in endpoint) return dropped(delivery, now, endpoint.refusal);
  const message = WebhookMessage.safeParse(readJson(delivery.payload));
  if (!message.success) return dropped(delivery, now, "nothing is left to send");
  const isVerification = message.data.type === VERIFICATION_TYPE;
  if (!isVerification && endpoint.status !== "active")
    return dropped(delivery, now, "the endpoint is not verified");
  const body = await bodyOf(deps, endpoint, message.data);
  if (body === undefined) return dropped(delivery, now, "no verification is due");
  const { result: answer, tried } = await timed(deps.clock, () =>
    deps.sendWebhook({
      url: endpoint.endpointUrl,
      id: delivery.key,
      sentAt: now,
      body,
      secrets: deps.state.webhooks.signingSecrets(endpoint),
    }),
  );
  const fault = await faultOf(deps, endpoint, isVerification, answer);
  return {
    delivery,
    health: healthOf(answer, fault),
    outcome: {
      delivery,
      attemptedAt: tried.startedAt,
      durationMs: tried.durationMs,
      statusCode: answer.kind === "answered" ? answer.status : null,
      error: fault ?? null,
      ...next(deps, delivery, answer, fault),
    },
  };
}

/** The same text for each attempt, except for the challenge. Undefined for a verification that is no longer pending. */
async function bodyOf(
  { state }: WorkerDeps,
  { publicId }: Webhook,
  message: WebhookMessage,
): Promise<string | undefined> {
  if (message.type !== VERIFICATION_TYPE) return JSON.stringify(message);
  const challenge = await state.webhooks.startChallenge(publicId);
  return challenge && JSON.stringify({ ...message, data: { challenge } });
}

async function faultOf(
  { state }: WorkerDeps,
  { publicId }: Webhook,
  isVerification: boolean,
  answer: WebhookAnswer,
): Promise<string | undefined> {
  if (answer.kind === "failed") return answer.error;
  if (answer.status < 200 || answer.status > 299) return `HTTP ${answer.status}`;
  if (!isVerification) return undefined;
  const isEchoed = await state.webhooks.answerChallenge(publicId, echoedChallenge(answer.body));
  return isEchoed ? undefined : "the challenge was not echoed";
}

/** Accepts the challenge as JSON (`{"challenge":"…"}`) or plain text. */
function echoedChallenge(body: string): string {
  const json = readJson(body);
  if (typeof json === "string") return json;
  if (typeof json === "object" && json !== null && "challenge" in json) return String(json.challenge);
  return body.trim();
}

function healthOf(answer: WebhookAnswer, fault: string | undefined): ReceiverHealth {
  if (fault === undefined) return "fine";
  if (answer.kind === "failed") return "silent";
  return answer.status === GONE ? "gone" : "failing";
}

function next(
  { clock, chance }: WorkerDeps,
  { tries }: Delivery,
  answer: WebhookAnswer,
  fault: string | undefined,
): Pick<Outcome, "result"> {
  if (fault === undefined) return { result: "done" };
  if (answer.kind === "answered" && answer.status === GONE) return { result: "dead" };
  const now = clock();
  const wish = answer.kind === "answered" ? retryAfterMs(answer.retryAfter, now) : undefined;
  return retryOrDead(retryDelay(tries, chance(), wish), now);
}

export interface Endpoints {
  of(publicId: string): Endpoint;
}

/** Looks the endpoints of a batch up once: those disabled or removed since an item was queued get nothing. */
export async function endpointsOf(state: State, batch: readonly Delivery[]): Promise<Endpoints> {
  const known = new Map<string, Endpoint>();
  for (const { kind, target } of batch)
    if (kind === "webhook" && !known.has(target)) known.set(target, await endpointOf(state, target));
  return { of: (publicId) => known.get(publicId) ?? { refusal: "the endpoint is gone" } };
}

async function endpointOf(state: State, publicId: string): Promise<Endpoint> {
  const webhook = await state.webhooks.get(publicId);
  if (webhook === undefined) return { refusal: "the endpoint is gone" };
  if (webhook.status === "disabled") return { refusal: "the endpoint is disabled" };
  return (await isOwnerActive(state, webhook)) ? webhook : { refusal: "the owner is not active" };
}

async function isOwnerActive(state: State, { ownerKind, ownerId }: Webhook): Promise<boolean> {
  const endpoint =
    ownerKind === "client" ? await state.partners.client(ownerId) : await state.subscriptions.get(ownerId);
  return endpoint?.status === "active";
}
