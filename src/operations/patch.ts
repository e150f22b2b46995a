import { basename } from "node:path";
import { buildRelease, type Mended, type ReleaseSummary } from "../build/build-release.ts";
import type { ReleaseReview } from "../build/publish-or-hold.ts";
import { discardHeld, heldRelease } from "../build/stages/held.ts";
import { currentRelease, treeSizeOf } from "../build/stages/publish.ts";
import { ErasedFound } from "../build/stages/search-erased.ts";
import type { OperatorIncident } from "../contract/service/status.ts";
import { OperatorError } from "../kernel/errors.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import { isoTime } from "../kernel/time.ts";
import { acquireLock, type Lock } from "../ledger/database/lock.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import { recordDocumentsOf } from "../resources/release-store.ts";
import { incidentsHash } from "../snapshot/demand.ts";
import { settingsOf } from "../snapshot/mend/mending.ts";
import { isReadable, openSnapshot } from "../snapshot/snapshot.ts";
import { backUpErasure } from "./backup/backup-gate.ts";
import { type CommandContext, homeOf } from "./context.ts";
import { failureText } from "./failure-text.ts";
import { BUILD_LOCKS, clearLeftovers, lastErasure, lockToPublish, withPublishLock } from "./publish-lock.ts";
import { writePurgeList } from "./purge.ts";
import { pruneOlder, publishNext, reporterOf } from "./release.ts";
import { sourceRevision } from "./release-settings.ts";
import { compiledPagesFolder } from "./served-pages.ts";

/** The release that a patch mends: the published one, or the one that is held. */
export interface Target {
  readonly isHeld: boolean;
  readonly find: (home: Home) => string | undefined; // its folder
  readonly review: (context: CommandContext) => ReleaseReview | undefined;
}

export const PUBLISHED: Target = { isHeld: false, find: currentRelease, review: () => undefined };
export const HELD: Target = {
  isHeld: true,
  find: (home) => heldRelease(home)?.directory,
  review: reviewAgain,
};

/** The findings stay: what an erasure takes out counts in no bound. */
function reviewAgain(context: CommandContext): ReleaseReview {
  const home = homeOf(context);
  return {
    judge() {
      const [held, published] = [heldRelease(home), currentRelease(home)];
      return {
        against: published === undefined ? null : basename(published),
        findings: held?.findings ?? [],
        held_at: held?.held_at ?? isoTime(context.clock()),
      };
    },
    isHeld: () => true,
  };
}

/** Patch releases: the public no longer gets what was erased, and reads of an incident, without waiting for the night. */

/** `patch`: a patch release; `whole`: another version of the program made the current release, so a whole one was built. */
export interface PatchedRelease {
  readonly kind: "patch" | "whole";
  readonly summary: ReleaseSummary;
}

interface PublishedPatch extends PatchedRelease {
  readonly refused: readonly string[]; // why older releases, which still show what was erased, could not be removed
}

/** Patches take less than a minute each; fifty may be asked for at once. */
const PATCH_WAIT_MS = 3_600_000;
const MAX_ATTEMPTS = 5;

/** `incidents`: those to show; undefined: those of the release that is mended. */
type Incidents = readonly OperatorIncident[] | undefined;

/**
 * Publishes a patch of the current release, unless that already covers the newest erasure and shows the incidents, or there is none. Starts
 * again when another release or another erasure comes meanwhile.
 */
export async function publishPatch(
  context: CommandContext,
  incidents?: Incidents,
): Promise<PublishedPatch | undefined> {
  const patch = await patchTarget(context, { target: PUBLISHED, incidents });
  return patch && { ...patch, refused: pruneOlder(context).refused };
}

/**
 * Mends the held release, so that it can be approved without what was erased, and beside the patch that was published. Removes one that cannot be
 * mended, because the next night builds another.
 */
export async function mendHeld(context: CommandContext, incidents?: Incidents): Promise<void> {
  try {
    const mended = await patchTarget(context, { target: HELD, incidents });
    if (mended !== undefined) context.stderr.write(`held       mended: ${mended.summary.releaseId}\n`);
  } catch (error) {
    const home = homeOf(context);
    withPublishLock(home, "removing a held release", () => discardHeld(home));
    context.stderr.write(
      `held       removed, because it could not be mended (${failureText(error)}): run \`presence nightly\`\n`,
    );
  }
}

/** What a patch is about. */
interface Wanted {
  readonly target: Target;
  readonly incidents: Incidents;
}

async function patchTarget(context: CommandContext, wanted: Wanted): Promise<PatchedRelease | undefined> {
  const home = homeOf(context);
  const lock = acquireLock(BUILD_LOCKS.patching(home), "publishing a patch release", PATCH_WAIT_MS);
  try {
    clearLeftovers(home, "building");
    return await attemptPatch(context, wanted, { linking: true, left: MAX_ATTEMPTS });
  } finally {
    lock.release();
  }
}

interface Attempt {
  readonly linking: boolean;
  readonly left: number; // attempts, this one included
}

async function attemptPatch(
  context: CommandContext,
  wanted: Wanted,
  { linking, left }: Attempt,
): Promise<PatchedRelease | undefined> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  const directory = wanted.target.find(home);
  if (directory === undefined || isCovered(reader, directory, wanted.incidents)) return undefined;
  try {
    return await patchOf(context, reader, { ...wanted, directory, linking });
  } catch (error) {
    const hasMoved = wanted.target.find(home) !== directory;
    if (left === 1 || !(hasMoved || isWorthAnother(error, reader, directory))) throw error;
    context.stderr.write("patch      starting again\n");
    // Every file is made anew once a linked one was found wanting.
    return await attemptPatch(context, wanted, {
      linking: linking && !(error instanceof ErasedFound),
      left: left - 1,
    });
  }
}

function isCovered(reader: LedgerReader, directory: string, incidents: Incidents): boolean {
  if (treeSizeOf(directory) < lastErasure(reader)) return false;
  return incidents === undefined || frameOf(directory)?.incidentsHash === incidentsHash(incidents);
}

/** Whether another erasure came meanwhile, or a linked file was found wanting. */
function isWorthAnother(error: unknown, reader: LedgerReader, mended: string): boolean {
  return error instanceof ErasedFound || lastErasure(reader) > patchTreeSize(reader, mended);
}

/** The tree of an erasure. Without one the patch stays with the tree of the release that it mends. */
function patchTreeSize(reader: LedgerReader, mended: string): number {
  const size = treeSizeOf(mended);
  return lastErasure(reader) > size ? (reader.latestCheckpoint()?.size ?? 0) : size;
}

interface PatchOptions extends Wanted {
  readonly directory: string; // of the release to mend
  readonly linking: boolean;
}

async function patchOf(
  context: CommandContext,
  reader: LedgerReader,
  { target, directory, incidents, linking }: PatchOptions,
): Promise<PatchedRelease> {
  const frame = frameOf(directory);
  if (frame === undefined) return replaceWhole(context, target);
  const treeSize = patchTreeSize(reader, directory);
  const { settings, asOf } = frame;
  const revision = context.config.sourceRevision ?? sourceRevision(context.project);
  const isLinkable = linking && settings.sourceRevision === revision;
  const summary = await buildRelease(
    {
      ...fixedInputs(context, reader),
      treeSize,
      asOf,
      settings: { ...settings, sourceRevision: revision, ...(incidents && { incidents: [...incidents] }) },
      documents: recordDocumentsOf(releasePaths(directory).site),
      mends: { directory, isLinkable } satisfies Mended,
      review: target.review(context),
      beforePublish: async (staging) => {
        if (!target.isHeld) await backUpErasure(context, treeSize);
        const lock = lockUnmoved(context, reader, treeSize, { target, directory });
        if (!target.isHeld) writePurgeList(context, directory, staging);
        return lock;
      },
    },
    reporterOf(context),
  );
  return { kind: "patch", summary };
}

async function replaceWhole(context: CommandContext, { isHeld }: Target): Promise<PatchedRelease> {
  if (isHeld) throw new OperatorError("another version of this program made it");
  return { kind: "whole", summary: await publishNext(context, { mayBeHeld: false, isErasure: true }) };
}

function fixedInputs(context: CommandContext, reader: LedgerReader) {
  const home = homeOf(context);
  const signer = reader.manifestSigner(home.keys);
  return {
    home,
    project: context.project,
    against: undefined,
    compiledPages: compiledPagesFolder(context),
    sign: (text: string) => signer.sign(text),
    openNote: (note: string) => reader.openManifestNote(note),
  };
}

/** What a patch release keeps of the release that it mends; undefined when another version of the program made that. */
function frameOf(directory: string) {
  const path = releasePaths(directory).snapshot;
  if (!isReadable(path)) return undefined;
  const snapshot = openSnapshot(path);
  try {
    const { asOf, incidentsHash } = snapshot.release();
    return { settings: settingsOf(snapshot), asOf, incidentsHash };
  } finally {
    snapshot.close();
  }
}

/** Throws OperatorError when another release took the place of the mended one meanwhile, which may be newer than this one. */
function lockUnmoved(
  context: CommandContext,
  reader: LedgerReader,
  treeSize: number,
  { target, directory }: Pick<PatchOptions, "target" | "directory">,
): Lock {
  const home = homeOf(context);
  const lock = lockToPublish(home, reader, treeSize);
  if (target.find(home) === directory) return lock;
  lock.release();
  throw new OperatorError(
    `another release was published while the patch of ${basename(directory)} was built, so the patch is not published: run again`,
  );
}
