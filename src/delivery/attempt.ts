import type { Log } from "../kernel/log.ts";
import type { Clock } from "../kernel/time.ts";
import type { State } from "../state/open-state.ts";
import type { Delivery } from "../state/outbox/outbox-items.ts";
import type { Outcome } from "../state/outbox/outbox-settle.ts";
import type { Mailer } from "./email/mailer.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";

/** The edges that a worker sends through. */
export interface DeliveryParts {
  readonly baseUrl: string;
  readonly mailer: Mailer | undefined; // without one mail waits
  readonly sendWebhook: WebhookSender;
  readonly clock: Clock;
  readonly chance: () => number; // from 0 to below 1
  readonly log: Log;
}

export interface WorkerParts extends DeliveryParts {
  readonly state: State;
}

/** What a try says about the receiver, beside how it ended for the item. `silent`: nothing came back, so there is no use in trying more just now. */
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

/** Runs `work` and takes its time. */
export async function timed<T>(clock: Clock, work: () => Promise<T>): Promise<{ result: T; tried: Tried }> {
  const startedAt = clock();
  const result = await work();
  return { result, tried: { startedAt, durationMs: Math.max(0, clock() - startedAt) } };
}

/** For what need not or must not be sent any more. */
export function dropped(delivery: Delivery, now: number, error: string): Attempt {
  const attempt = { attemptedAt: now, durationMs: 0, statusCode: null, error };
  return { delivery, health: "untried", outcome: { delivery, result: "dead", isPrivate: true, ...attempt } };
}

/** What happens to an item that was not delivered: again after `delay` ms, or never when that is undefined. */
export function retryOrDead(
  delay: number | undefined,
  now: number,
): Pick<Outcome, "result"> & { readonly retryAt?: number } {
  return delay === undefined ? { result: "dead" } : { result: "retry", retryAt: now + delay };
}
