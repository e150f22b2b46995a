import { deliverDue } from "../accounts/delivery/deliver.ts";
import { deliveryDeps, deliverySetup } from "../accounts/delivery/delivery-setup.ts";
import { matchRelease } from "../accounts/delivery/match-events.ts";
import type { DeliverySetup } from "../contract/accounts/delivery.ts";
import { DELIVERIES_KEPT_DAYS, MATCHED_EVENTS_KEPT_DAYS } from "../contract/limits.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { type Clock, DAY_MS } from "../kernel/time.ts";
import { contextAt } from "../resources/release-store.ts";
import type { Queued } from "../state/delivery/publications.ts";
import type { State } from "../state/open-state.ts";
import { type CommandContext, currentEnvironment, existingState, homeOf, logOf } from "./context.ts";

/** How the configuration delivers, for releases of the current environment. */
export function setupOf(context: CommandContext): DeliverySetup {
  return deliverySetup(context.config, currentEnvironment(homeOf(context)));
}

/** Throws OperatorError when the DKIM key cannot be read or DELIVERY is off. */
export function deliveryOf(context: CommandContext): ReturnType<typeof deliveryDeps> {
  return deliveryDeps(context.config, currentEnvironment(homeOf(context)), logOf(context));
}

/** Sends everything that is due. Throws OperatorError as `deliveryOf` does. */
export async function sendDue(context: CommandContext, state: State | undefined) {
  const delivery = deliveryOf(context);
  try {
    const { done, retry, dead } =
      state === undefined ? { done: 0, retry: 0, dead: 0 } : await deliverDue(state, delivery);
    return { delivered: done, to_try_again: retry, given_up: dead };
  } finally {
    delivery.mailer?.close();
  }
}

/** Numbers of new events and of the messages queued for them, by whoever was first: the server may match a release before the night does. */
export type Matched = Readonly<Record<keyof Queued, number>>;

/**
 * Queues the events of a published release for subscribers and partners, unless the server did, and prunes the state. Returns undefined without a state. Throws OperatorError
 * when the state cannot be opened; the release stays published.
 */
export async function matchPublished(
  context: CommandContext,
  directory: string,
): Promise<Matched | undefined> {
  try {
    await using state = await existingState(context);
    if (state === undefined) return undefined;
    const matched = (await matchDirectory(state, directory)) ?? (await queuedBefore(state, directory));
    const { events, digests, webhooks, withdrawals } = matched;
    await pruneState(state, context);
    context.stderr.write(
      `alerts     ${events} new events: ${digests} emails, ${webhooks} webhook deliveries, ${withdrawals} of withdrawals\n`,
    );
    return matched;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `the release is published, but its events are not queued for subscribers: ${reason}. Solve that, then run presence deliver.`,
      { cause },
    );
  }
}

/** What was queued for a release that was matched before. */
async function queuedBefore(state: State, directory: string): Promise<Matched> {
  const release = contextAt(releasePaths(directory).snapshot);
  try {
    const queued = await state.publications.queued(release.snapshot.release().releaseId);
    return queued ?? { events: 0, digests: 0, webhooks: 0, withdrawals: 0 };
  } finally {
    release.close();
  }
}

/** Returns undefined if this release was already matched. */
export async function matchDirectory(state: State, directory: string): ReturnType<typeof matchRelease> {
  const release = contextAt(releasePaths(directory).snapshot);
  try {
    return await matchRelease(state, release.snapshot);
  } finally {
    release.close();
  }
}

interface PruneDeps {
  readonly config: Pick<Config, "retention">;
  readonly clock: Clock;
}

/** Deletes what the state has kept long enough, also from the write-ahead log: docs/operations/privacy.md lists the periods. */
export async function pruneState(state: State, { config, clock }: PruneDeps): Promise<void> {
  const { endedSubscriptionDays, openReportDays, formerContactDays } = config.retention;
  await state.subscriptions.prune();
  await state.subscriptions.pruneEnded(endedSubscriptionDays);
  await state.emails.prune();
  await state.usage.prune();
  await state.reports.prune();
  await state.reports.pruneOpen(openReportDays);
  await state.removals.prune();
  await state.partners.pruneContacts(formerContactDays);
  await state.outbox.prune(clock() - DELIVERIES_KEPT_DAYS * DAY_MS);
  await state.publications.prune(clock() - MATCHED_EVENTS_KEPT_DAYS * DAY_MS);
  await state.cutLog();
}
