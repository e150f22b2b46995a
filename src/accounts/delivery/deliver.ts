import { setTimeout as sleep } from "node:timers/promises";
import { WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import { StateLost } from "../../state/database/database-file.ts";
import type { Delivery } from "../../state/delivery/outbox.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { State, StateStores } from "../../state/open-state.ts";
import type { Attempt, DeliveryDeps, WorkerDeps } from "./attempt.ts";
import { deliverMail } from "./deliver-mail.ts";
import { deliverWebhook, type Endpoints, endpointsOf } from "./deliver-webhook.ts";
import { enqueueEndpointDisabled } from "./messages.ts";

/** Items per transaction. */
const BATCH = 128;
/** Concurrent deliveries per worker. */
export const CONCURRENCY = 16;

/**
 * Lease of claimed items, in case a worker dies. Nothing starts after its first third, so running deliveries have twice
 * that time to end, and a slow receiver does not get everything twice.
 */
const LEASE_MS = 600 * SECOND_MS;
const START_MS = LEASE_MS / 3;

/** In one run. Retries wait longer each time, so an item that comes more often was not put down in the database. */
const MAX_CLAIMS = 10;

const POLL_MS = SECOND_MS;
const FAULT_PAUSE_MS = 5 * SECOND_MS;

export interface DeliveryCounts {
  readonly done: number;
  readonly retry: number;
  readonly dead: number;
}

/**
 * Delivers due items until none is left or `signal` aborts. Any number of workers may run at once. Throws StateLost when the database is
 * lost or damaged, or does not keep what becomes of the items.
 */
export async function deliverDue(
  state: State,
  deps: DeliveryDeps,
  signal?: AbortSignal,
): Promise<DeliveryCounts> {
  const total = { done: 0, retry: 0, dead: 0 };
  const claims = new Map<number, number>();
  while (signal?.aborted !== true) {
    const batch = await state.outbox.claim(
      BATCH,
      LEASE_MS,
      deps.mailer === undefined ? "webhook" : undefined,
    );
    if (batch.length === 0) break;
    countClaims(claims, batch);
    const attempts = await workOff({ ...deps, state }, batch, signal);
    for (const { outcome } of attempts) total[outcome.result] += 1;
  }
  return total;
}

function countClaims(claims: Map<number, number>, batch: readonly Delivery[]): void {
  for (const { id } of batch) {
    const count = (claims.get(id) ?? 0) + 1;
    if (count > MAX_CLAIMS)
      throw new StateLost(
        `delivery ${id} is due again and again: the state does not keep what is written, it may be damaged: run \`presence doctor\``,
      );
    claims.set(id, count);
  }
}

export interface RunningDelivery {
  /** Resolves with the loss of the database, which ends the delivery, or after `stop`. */
  readonly ended: Promise<StateLost | undefined>;
  stop(): Promise<void>;
}

/** Delivers in this process until `stop`, which waits for running deliveries. */
export function startDelivery(state: State, deps: DeliveryDeps): RunningDelivery {
  const stopping = new AbortController();
  const ended = follow(state, deps, stopping.signal);
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function follow(state: State, deps: DeliveryDeps, signal: AbortSignal): Promise<StateLost | undefined> {
  while (!signal.aborted) {
    const error = await deliverAndTell(state, deps, signal);
    const loss = error instanceof StateLost ? error : state.loss();
    if (loss !== undefined) return loss;
    const pause = error === undefined ? POLL_MS : FAULT_PAUSE_MS;
    await sleep(pause, undefined, { signal }).catch(() => undefined); // only the signal interrupts the wait
  }
  return undefined;
}

/** Resolves with the error, if there was one. */
async function deliverAndTell(state: State, deps: DeliveryDeps, signal: AbortSignal): Promise<unknown> {
  try {
    const { done, retry, dead } = await deliverDue(state, deps, signal);
    if (done + retry + dead > 0) deps.log.info("delivered", { done, retry, dead });
    return undefined;
  } catch (error) {
    deps.log.error("delivery_failed", { fault: error instanceof Error ? error.message : String(error) });
    return error;
  }
}

/** One batch: sent concurrently, settled together. */
async function workOff(
  deps: WorkerDeps,
  batch: readonly Delivery[],
  signal: AbortSignal | undefined,
): Promise<readonly Attempt[]> {
  const claimedAt = deps.clock();
  const endpoints = await endpointsOf(deps.state, batch);
  const attempts: Attempt[] = [];
  const silentUntil = new Map<string, number>();
  const untried: Delivery[] = [];
  const isOver = () => signal?.aborted === true || deps.clock() - claimedAt > START_MS;
  try {
    await sideBySide(batch, CONCURRENCY, async (delivery) => {
      if (isOver() || silentUntil.has(receiverOf(delivery))) {
        untried.push(delivery);
        return;
      }
      const attempt = await attemptOne(deps, delivery, endpoints);
      attempts.push(attempt);
      if (attempt.health === "silent")
        silentUntil.set(receiverOf(delivery), attempt.outcome.retryAt ?? deps.clock());
    });
  } finally {
    await settleBatch(deps, { attempts, untried, silentUntil }); // what was sent was sent
  }
  return attempts;
}

/** All email goes to one server. */
function receiverOf({ kind, target }: Delivery): string {
  return kind === "mail" ? kind : target;
}

function attemptOne(deps: WorkerDeps, delivery: Delivery, endpoints: Endpoints): Promise<Attempt> {
  if (delivery.kind === "webhook") return deliverWebhook(deps, delivery, endpoints.of(delivery.target));
  if (deps.mailer === undefined) throw new Error("an email was claimed, but there is no mailer");
  return deliverMail(deps, deps.mailer, delivery);
}

interface Tried {
  readonly attempts: readonly Attempt[];
  readonly untried: readonly Delivery[];
  readonly silentUntil: ReadonlyMap<string, number>; // by receiver
}

async function settleBatch({ state, clock }: WorkerDeps, tried: Tried): Promise<void> {
  const { attempts, untried, silentUntil } = tried;
  const now = clock();
  await state.transaction(async (within) => {
    await within.outbox.settle(attempts.map(({ outcome }) => outcome));
    for (const [receiver, until] of silentUntil)
      await within.outbox.postpone(
        receiver === "mail" ? { kind: "mail" } : { kind: "webhook", target: receiver },
        until,
      );
    for (const delivery of untried)
      await within.outbox.release([delivery], silentUntil.get(receiverOf(delivery)) ?? now);
    await noteReceivers(within, attempts, now);
  });
}

/** An endpoint is disabled after this many days and this many failures without a success. */
const { failingDays: FAILING_DAYS, failingTries: MIN_FAILURES } = WEBHOOK_DELIVERY;

/** Updates the receivers of a batch by its results. Called in the transaction that settles the batch. */
export async function noteReceivers(
  parts: StateStores,
  attempts: readonly Attempt[],
  now: number,
): Promise<void> {
  const tried = attempts.filter(({ health }) => health !== "untried");
  const { mail = [], webhook = [] } = Object.groupBy(tried, ({ delivery }) => delivery.kind);
  for (const { delivery, health } of mail)
    if (health === "gone")
      await parts.subscriptions.suspend(delivery.target, "its email address refuses email");
  const byTarget = Map.groupBy(webhook, ({ delivery }) => delivery.target);
  const isFine = (tries: readonly Attempt[]) => tries.some(({ health }) => health === "fine");
  const isGone = (tries: readonly Attempt[]) => tries.some(({ health }) => health === "gone");
  await parts.webhooks.noteSuccess(
    [...byTarget].filter(([, tries]) => isFine(tries)).map(([target]) => target),
  );
  for (const [target, tries] of byTarget) {
    if (isGone(tries)) await giveUp(parts, await parts.webhooks.get(target), "it answered 410 Gone");
    else if (!isFine(tries)) await noteFailure(parts, target, now);
  }
}

async function noteFailure(parts: StateStores, target: string, now: number): Promise<void> {
  const webhook = await parts.webhooks.noteFailure(target);
  if (webhook === undefined || webhook.failingSince === null) return;
  if (webhook.failures < MIN_FAILURES || now - webhook.failingSince < FAILING_DAYS * DAY_MS) return;
  await giveUp(parts, webhook, `all deliveries failed for ${FAILING_DAYS} days`);
}

/** Disables an endpoint; its owner gets one email, even when several workers notice. */
async function giveUp(
  { webhooks, outbox }: StateStores,
  webhook: Webhook | undefined,
  reason: string,
): Promise<void> {
  if (webhook === undefined || !(await webhooks.disable(webhook.publicId, reason))) return;
  await outbox.cancel(webhook.publicId, `the endpoint was disabled: ${reason}`);
  await enqueueEndpointDisabled(outbox, webhook, reason);
}
