import { rmSync } from "node:fs";
import { basename } from "node:path";
import { heldRelease, publishHeld, readReview, writeReview } from "../../build/stages/held.ts";
import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { isoTime } from "../../kernel/time.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import { backUpBefore } from "../backup/backup-gate.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { type Matched, matchPublished } from "../delivery.ts";
import { openLateRelease } from "../incidents.ts";
import { heldProblem, lockToPublish, withPublishLock } from "../publish-lock.ts";
import { lockReleases, pruneOlder, pruningText } from "../release.ts";
import { releaseIdOf } from "./known.ts";

/** Holds every release that is built from now on. */
export function holdReleases(context: CommandContext, note: string | undefined): { since: string } {
  const home = homeOf(context);
  const hold = { since: isoTime(context.clock()), note: note ?? null };
  return withPublishLock(home, "holding releases", () => {
    const before = readReview(home).hold;
    const { since } = before ?? hold;
    writeReview(home, { hold: { since, note: hold.note ?? before?.note ?? null } });
    return { since };
  });
}

export interface Approved {
  readonly published: string | null; // release id; null: nothing was held
  readonly holdLifted: boolean;
  readonly releasesRemoved: number;
  readonly alerts: Matched | null;
}

/**
 * Publishes the held release `wanted` (its id), and lifts the operator's hold; after a kill the same call finishes. Without an id and a held
 * release it lifts the hold. Throws OperatorError for another id, and for a release that an erasure or another release has overtaken.
 */
export async function approveRelease(context: CommandContext, wanted: string | undefined): Promise<Approved> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  using _lock = lockReleases(home);
  const holdLifted = readReview(home).hold !== null;
  openLateRelease(context);
  await publishWanted(context, reader, wanted);
  const approved = await followUp(context, wanted);
  return { published: wanted ?? null, holdLifted, ...approved };
}

/** What follows every publication. */
async function followUp(
  context: CommandContext,
  wanted: string | undefined,
): Promise<Pick<Approved, "releasesRemoved" | "alerts">> {
  const directory = wanted === undefined ? undefined : currentRelease(homeOf(context));
  if (directory === undefined) return { releasesRemoved: 0, alerts: null };
  const { removed, refused } = pruneOlder(context);
  if (refused.length > 0) context.stderr.write(`WARNING: ${pruningText(refused)}\n`);
  const alerts = await matchPublished(context, directory);
  return { releasesRemoved: removed, alerts: alerts ?? null };
}

async function publishWanted(
  context: CommandContext,
  reader: LedgerReader,
  wanted: string | undefined,
): Promise<void> {
  const home = homeOf(context);
  const held = heldRelease(home);
  if (held === undefined) {
    liftHold(home, wanted);
    return;
  }
  const review = "read `presence release diff`, then run";
  if (wanted === undefined)
    throw new OperatorError(
      `${held.release_id} is held: ${review} \`presence release approve ${held.release_id}\``,
    );
  if (wanted !== held.release_id)
    throw new OperatorError(
      `${wanted} is not the held release: ${review} \`presence release approve ${held.release_id}\``,
    );
  const problem = heldProblem(home, reader, held);
  if (problem !== null)
    throw new OperatorError(`${wanted} cannot be approved: ${problem}. Run \`presence nightly\` again`);
  const treeSize = treeSizeOf(held.directory);
  await backUpBefore(context, treeSize);
  {
    using _lock = lockToPublish(home, reader, treeSize);
    publishHeld(home, held);
  }
  rmSync(home.purge, { recursive: true, force: true });
  rmSync(home.lastRelease, { force: true }); // superseded by this release
}

/** Where nothing is held: the published release may be approved once more. */
function liftHold(home: Home, wanted: string | undefined): void {
  const current = currentRelease(home);
  const published = current === undefined ? undefined : releaseIdOf(current);
  if (wanted !== undefined && wanted !== published)
    throw new OperatorError(
      `${wanted}: no release of that id is held; \`presence release list\` shows all of them`,
    );
  withPublishLock(home, "lifting the hold", () => {
    if (wanted === undefined && readReview(home).hold === null)
      throw new OperatorError(
        `nothing is held: ${current === undefined ? "there is no release yet" : `${basename(current)} is published`}`,
      );
    writeReview(home, { hold: null, held: null });
  });
}
