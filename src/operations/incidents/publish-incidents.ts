import { incidentsKnownAt } from "../../contract/service/status.ts";
import type { CommandContext } from "../context.ts";
import { readIncidents } from "../operator-texts.ts";
import { mendHeld, type PatchedRelease, publishPatch } from "../patch.ts";
import { type PurgeReport, purgeCaches } from "../purge.ts";
import { closeLateReleases } from "./late-release.ts";

export interface PublishedIncidents {
  readonly patch: PatchedRelease | undefined; // undefined: nothing is published, or the release shows them already
  readonly purge: PurgeReport | undefined;
}

/** Publishes the incidents of the operator's file by a patch release, and tells caches. Throws OperatorError as `publishPatch` does. */
export async function publishIncidents(context: CommandContext): Promise<PublishedIncidents> {
  const incidents = incidentsKnownAt(readIncidents(context.config), context.clock());
  const patch = await publishPatch(context, incidents);
  await mendHeld(context, incidents); // so that it still follows the published release
  return { patch, purge: patch && (await purgeCaches(context)) };
}

/** After a release: ends the incidents of late ones, and publishes what was reported while it was built. */
export async function settleIncidents(
  context: CommandContext,
): Promise<PublishedIncidents & { readonly ended: number }> {
  return { ended: closeLateReleases(context), ...(await publishIncidents(context)) };
}
