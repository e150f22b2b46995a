import type { Log } from "../kernel/log.ts";
import type { Clock } from "../kernel/time.ts";
import type { State } from "../state/open-state.ts";
import type { Delivery } from "../state/outbox/outbox-items.ts";
import type { Outcome } from "../state/outbox/outbox-settle.ts";
import type { Mailer } from "./email/mailer.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";

/** Dependencies of a delivery attempt. */
export interface DeliveryParts {
  readonly baseUrl: string;
  readonly mailer: Mailer | undefined; // email waits without one
  readonly sendWebhook: WebhookSender;
  readonly clock: Clock;
  readonly chance: () => number; // from 0 to below 1
  readonly log: Log;
}

export interface WorkerParts extends DeliveryParts {
  readonly state: State;
}

/** Finding about the receiver, in addition to the item's result. `silent`: no response, so further attempts should wait. */
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

/** Result for items that need not or must not be sent. */
export function dropped(delivery: Delivery, now: number, error: string): Attempt {
  const attempt = { attemptedAt: now, durationMs: 0, statusCode: null, error };
  return { delivery, health: "untried", outcome: { delivery, result: "dead", isPrivate: true, ...attempt } };
}

/** Result of a failed delivery: retry after `delay` ms, or never when undefined. */
export function retryOrDead(
  delay: number | undefined,
  now: number,
): Pick<Outcome, "result"> & { readonly retryAt?: number } {
  return delay === undefined ? { result: "dead" } : { result: "retry", retryAt: now + delay };
}
