import type { Log } from "../kernel/log.ts";
import type { Clock } from "../kernel/time.ts";
import type { State } from "../state/open-state.ts";
import type { Delivery } from "../state/outbox/outbox-items.ts";
import type { Outcome } from "../state/outbox/outbox-settle.ts";
import type { Mailer } from "./email/mailer.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";

/** The edges that a worker sends through. */
export interface DeliveryDeps {
  readonly baseUrl: string;
  readonly mailer: Mailer | undefined; // email waits without one
  readonly sendWebhook: WebhookSender;
  readonly clock: Clock;
  readonly chance: () => number; // from 0 to below 1
  readonly log: Log;
}

export interface WorkerDeps extends DeliveryDeps {
  readonly state: State;
}

/** The state of the receiver after an attempt. `silent`: no answer came, so further attempts would be in vain for now. */
export type ReceiverHealth = "fine" | "failing" | "silent" | "gone" | "untried";

export interface Attempt {
  readonly delivery: Delivery;
  readonly outcome: Outcome;
  readonly health: ReceiverHealth;
}

export interface Tried {
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Runs `work` and measures its time. */
export async function timed<T>(clock: Clock, work: () => Promise<T>): Promise<{ result: T; tried: Tried }> {
  const startedAt = clock();
  const result = await work();
  return { result, tried: { startedAt, durationMs: Math.max(0, clock() - startedAt) } };
}

/** An attempt that was not made, because the item must not be sent. */
export function dropped(delivery: Delivery, now: number, error: string): Attempt {
  const attempt = { attemptedAt: now, durationMs: 0, statusCode: null, error };
  return { delivery, health: "untried", outcome: { delivery, result: "dead", isPrivate: true, ...attempt } };
}

/** The next step for an undelivered item: a retry after `delay` ms, or none when that is undefined. */
export function retryOrDead(
  delay: number | undefined,
  now: number,
): Pick<Outcome, "result"> & { readonly retryAt?: number } {
  return delay === undefined ? { result: "dead" } : { result: "retry", retryAt: now + delay };
}
