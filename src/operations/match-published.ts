import { matchRelease } from "../delivery/match-events.ts";
import { OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { contextAt } from "../resources/release-store.ts";
import type { State } from "../state/open-state.ts";
import type { CommandContext } from "./context.ts";
import { existingState } from "./existing-state.ts";
import { pruneState } from "./prune-state.ts";

const NOTHING = { events: 0, digests: 0, webhooks: 0, withdrawals: 0 };

/** Numbers of new events and of the messages queued for them. */
export type Matched = Readonly<Record<"events" | "digests" | "webhooks" | "withdrawals", number>>;

/**
 * Queues the events of a published release for subscribers and partners, and prunes the state. Returns undefined without a state. Throws OperatorError
 * when the state cannot be opened; the release stays published.
 */
export async function matchPublished(
  context: CommandContext,
  directory: string,
): Promise<Matched | undefined> {
  try {
    await using state = await existingState(context);
    if (state === undefined) return undefined;
    const matched = (await matchDirectory(state, directory)) ?? NOTHING;
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

/** Returns undefined if this release was already matched. */
export async function matchDirectory(state: State, directory: string): ReturnType<typeof matchRelease> {
  const release = contextAt(releasePaths(directory).snapshot);
  try {
    return await matchRelease(state, release.snapshot);
  } finally {
    release.close();
  }
}
