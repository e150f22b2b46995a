import { WEBHOOK_DELIVERY } from "../contract/limits.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { Webhook } from "../state/delivery/webhooks.ts";
import type { StateStores } from "../state/open-state.ts";
import type { Attempt } from "./attempt.ts";
import { enqueueEndpointDisabled } from "./email/messages.ts";

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
