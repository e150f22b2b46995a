/** Patch releases: the public no longer gets what was erased, and reads of an incident, without waiting for the night. */
import { basename } from "node:path";
import { buildRelease, type Mended, type ReleaseSummary } from "../build/build-release.ts";
import { currentRelease, treeSizeOf } from "../build/stages/publish.ts";
import { ErasedFound } from "../build/stages/search-erased.ts";
import type { OperatorIncident } from "../contract/service/operator-incidents.ts";
import { OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { acquireLock, type Lock } from "../ledger/database/lock.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import { incidentsHash } from "../snapshot/incidents.ts";
import { settingsOf } from "../snapshot/mend/settings-of.ts";
import { isReadable, openSnapshot } from "../snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "./context.ts";
import { BUILD_LOCKS, clearLeftovers, lastErasure, lockToPublish } from "./publish-lock.ts";
import { writePurgeList } from "./purge.ts";
import { pruneOlder, publishNext, reporterOf } from "./release.ts";
import { compiledPagesFolder } from "./served-pages.ts";
import { sourceRevision } from "./source-revision.ts";

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

/** `incidents`: those to show; undefined: those of the current release. */
type Incidents = readonly OperatorIncident[] | undefined;

/**
 * Publishes a patch of the current release, unless that already covers the newest erasure and shows the incidents, or there is none. Starts
 * again when another release or another erasure comes meanwhile.
 */
export async function publishPatch(
  context: CommandContext,
  incidents?: Incidents,
): Promise<PublishedPatch | undefined> {
  const home = homeOf(context);
  const lock = acquireLock(BUILD_LOCKS.patching(home), "publishing a patch release", PATCH_WAIT_MS);
  try {
    clearLeftovers(home, "building");
    const patch = await attemptPatch(context, { incidents, linking: true, left: MAX_ATTEMPTS });
    return patch && { ...patch, refused: pruneOlder(context).refused };
  } finally {
    lock.release();
  }
}

interface Attempt {
  readonly incidents: Incidents;
  readonly linking: boolean;
  readonly left: number; // attempts, this one included
}

async function attemptPatch(
  context: CommandContext,
  { incidents, linking, left }: Attempt,
): Promise<PatchedRelease | undefined> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  const directory = currentRelease(home);
  if (directory === undefined || isCovered(reader, directory, incidents)) return undefined;
  try {
    return await patchOf(context, reader, { directory, incidents, linking });
  } catch (error) {
    if (left === 1 || !isWorthAnother(error, context, reader, directory)) throw error;
    context.stderr.write("patch      starting again\n");
    // Every file is made anew once a linked one was found wanting.
    return await attemptPatch(context, {
      incidents,
      linking: linking && !(error instanceof ErasedFound),
      left: left - 1,
    });
  }
}

function isCovered(reader: LedgerReader, directory: string, incidents: Incidents): boolean {
  if (treeSizeOf(directory) < lastErasure(reader)) return false;
  return incidents === undefined || frameOf(directory)?.incidentsHash === incidentsHash(incidents);
}

/** Whether something came meanwhile, or a linked file was found wanting. */
function isWorthAnother(
  error: unknown,
  context: CommandContext,
  reader: LedgerReader,
  mended: string,
): boolean {
  return (
    error instanceof ErasedFound ||
    currentRelease(homeOf(context)) !== mended ||
    lastErasure(reader) > patchTreeSize(reader, mended)
  );
}

/** The tree of an erasure. Without one the patch stays with the published tree. */
function patchTreeSize(reader: LedgerReader, mended: string): number {
  const published = treeSizeOf(mended);
  return lastErasure(reader) > published ? (reader.latestCheckpoint()?.size ?? 0) : published;
}

interface PatchOptions {
  readonly incidents: Incidents;
  readonly directory: string; // of the release to mend
  readonly linking: boolean;
}

async function patchOf(
  context: CommandContext,
  reader: LedgerReader,
  { directory, incidents, linking }: PatchOptions,
): Promise<PatchedRelease> {
  const frame = frameOf(directory);
  if (frame === undefined) return { kind: "whole", summary: await publishNext(context, {}) };
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
      mends: { directory, isLinkable } satisfies Mended,
      beforePublish: (staging) => {
        const lock = lockUnmoved(context, reader, treeSize, directory);
        writePurgeList(context, directory, staging);
        return lock;
      },
    },
    reporterOf(context),
  );
  return { kind: "patch", summary };
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

/** Throws OperatorError when another release was published meanwhile, which may be newer than this one. */
function lockUnmoved(context: CommandContext, reader: LedgerReader, treeSize: number, mended: string): Lock {
  const home = homeOf(context);
  const lock = lockToPublish(home, reader, treeSize);
  if (currentRelease(home) === mended) return lock;
  lock.release();
  throw new OperatorError(
    `another release was published while the patch of ${basename(mended)} was built, so the patch is not published: run again`,
  );
}
