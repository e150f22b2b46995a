import { DELIVERIES_KEPT_DAYS } from "../contract/limits.ts";
import { matchRelease } from "../delivery/match-events.ts";
import { OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { DAY_MS } from "../kernel/time.ts";
import { contextAt } from "../resources/release-store.ts";
import type { State } from "../state/open-state.ts";
import type { CommandContext } from "./context.ts";
import { existingState } from "./existing-state.ts";

/** Of what is new: undefined without a state. */
export type Matched = Readonly<Record<"events" | "digests" | "webhooks", number>>;

/**
 * Queues what a published release brings for subscribers and partners, and forgets what is over. Without a state there is nobody to tell. Throws
 * OperatorError when the state cannot be had; the release stays published.
 */
export async function matchPublished(
  context: CommandContext,
  directory: string,
): Promise<Matched | undefined> {
  try {
    await using state = await existingState(context);
    if (state === undefined) return undefined;
    const { events = 0, digests = 0, webhooks = 0 } = (await matchDirectory(state, directory)) ?? {};
    await state.subscriptions.prune();
    await state.usage.prune();
    await state.reports.prune();
    await state.outbox.prune(context.clock() - DELIVERIES_KEPT_DAYS * DAY_MS);
    context.stderr.write(
      `alerts     ${events} new events: ${digests} mails, ${webhooks} webhook deliveries\n`,
    );
    return { events, digests, webhooks };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `the release is published, but its events are not queued for subscribers: ${reason}. Run presence deliver when that is mended.`,
      { cause },
    );
  }
}

/** Undefined when the release was matched before. */
export async function matchDirectory(state: State, directory: string): ReturnType<typeof matchRelease> {
  const release = contextAt(releasePaths(directory).snapshot);
  try {
    return await matchRelease(state, release.snapshot);
  } finally {
    release.close();
  }
}
