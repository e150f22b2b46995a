/** How the public stops getting what was erased: a patch release, then the caches, the partners, and the release that is held. */
import type { CommandContext } from "../context.ts";
import { matchPublished } from "../delivery.ts";
import { failureText } from "../failure-text.ts";
import { mendHeld, type PatchedRelease, publishPatch } from "../patch.ts";
import { type PurgeReport, purgeCaches } from "../purge.ts";

export interface PublishedErasure {
  readonly patch: PatchedRelease | undefined; // undefined: nothing is published, or the release covers it already
  readonly purge: PurgeReport | undefined;
  readonly refused: readonly string[]; // why older releases, which still show what was erased, could not be removed
}

export type Attempt<T> = { readonly result: T } | { readonly error: unknown };

/** Calls `after` when the patch release is out, and when the caches have been told. */
export async function publishErasure(
  context: CommandContext,
  after: (step: "published" | "purged") => void,
): Promise<Attempt<PublishedErasure>> {
  const patched = await attempt(() => publishPatch(context));
  after("published");
  if ("error" in patched) return patched;
  const patch = patched.result;
  if (patch !== undefined)
    context.stderr.write(
      `published  ${patch.summary.releaseId} after ${patch.summary.seconds} s: the public no longer gets it\n`,
    );
  const purged = await attempt(async () => {
    const purge = await purgeCaches(context);
    if (patch !== undefined) await queueWithdrawals(context, patch.summary.directory);
    await mendHeld(context); // after the public, who does not get it
    return { patch, purge, refused: patch?.refused ?? [] };
  });
  after("purged");
  return purged;
}

/** Partners who hold copies learn of it by webhook. What fails here, the night makes up for. */
async function queueWithdrawals(context: CommandContext, directory: string): Promise<void> {
  const queued = await attempt(() => matchPublished(context, directory));
  if ("error" in queued) context.stderr.write(`webhooks   ${failureText(queued.error)}\n`);
}

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}
