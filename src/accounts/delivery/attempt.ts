import { WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import type { Log } from "../../kernel/log.ts";
import { type Clock, HOUR_MS, SECOND_MS } from "../../kernel/time.ts";
import type { Delivery, Outcome } from "../../state/delivery/outbox.ts";
import type { State } from "../../state/open-state.ts";
import type { Mailer } from "./mailer.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** The schedule that Standard Webhooks proposes, used for email too. */
export const RETRY_DELAYS_MS: readonly number[] = WEBHOOK_DELIVERY.retryDelaysSeconds.map(
  (seconds) => seconds * SECOND_MS,
);

/** Jitter: deliveries that failed together must not return together. */
const JITTER = 0.2;

const MAX_RETRY_AFTER_MS = WEBHOOK_DELIVERY.longestRetryAfterSeconds * SECOND_MS;

/** The longest pause for an unreachable server: a try costs little, and many emails may wait for it. */
const MAX_OUTAGE_PAUSE_MS = HOUR_MS / 2;

/**
 * Returns the delay in ms after the `tries`th failed attempt, or undefined when the item is abandoned. `chance` is from 0
 * to below 1. A receiver's longer Retry-After (ms) takes precedence, up to a day.
 */
export function retryDelay(tries: number, chance: number, retryAfterMs = 0): number | undefined {
  const delay = RETRY_DELAYS_MS[tries - 1];
  if (delay === undefined) return undefined;
  return Math.max(spread(delay, chance), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** Delay for faults that are not the item's, which never abandon it. */
export function outageDelay(tries: number, chance: number): number {
  const delay = RETRY_DELAYS_MS[tries - 1] ?? MAX_OUTAGE_PAUSE_MS;
  return spread(Math.min(delay, MAX_OUTAGE_PAUSE_MS), chance);
}

function spread(delay: number, chance: number): number {
  return Math.round(delay * (1 + JITTER * chance));
}

/** Parses `Retry-After`, seconds or a date (RFC 9110 10.2.3), to ms from now; undefined for anything else. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The edges that a worker sends through. */
export interface DeliveryDeps {
  readonly baseUrl: string;
  readonly siteName?: string | undefined; // the service's name, where its operator gives one
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
