/** How the public stops getting what was erased: a patch release, then the caches, the partners, and the release that is held. */
import type { CommandContext } from "../context.ts";
import { failureText } from "../failure-text.ts";
import { matchPublished } from "../match-published.ts";
import { mendHeld, type PatchedRelease, publishPatch } from "../patch.ts";
import { type PurgeReport, purgeCaches } from "../purge.ts";

export interface PublishedErasure {
  readonly patch: PatchedRelease | undefined; // undefined: nothing is published, or the release covers it already
  readonly purge: PurgeReport | undefined;
  readonly refused: readonly string[]; // why older releases, which still show what was erased, could not be removed
}

/** Calls `after` when the patch release is out, and when the caches have been told. */
export async function publishErasure(
  context: CommandContext,
  after: (step: "published" | "purged") => void,
): Promise<PublishedErasure> {
  const patch = await publishPatch(context);
  if (patch !== undefined)
    context.stderr.write(
      `published  ${patch.summary.releaseId} after ${patch.summary.seconds} s: the public no longer gets it\n`,
    );
  after("published");
  const purge = await purgeCaches(context);
  if (patch !== undefined) await queueWithdrawals(context, patch.summary.directory);
  await mendHeld(context); // after the public, who does not get it
  after("purged");
  return { patch, purge, refused: patch?.refused ?? [] };
}

/** Partners who hold copies learn of it by webhook. What fails here, the night makes up for. */
async function queueWithdrawals(context: CommandContext, directory: string): Promise<void> {
  try {
    await matchPublished(context, directory);
  } catch (error) {
    context.stderr.write(`webhooks   ${failureText(error)}\n`);
  }
}
