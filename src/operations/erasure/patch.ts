/** The patch release after an erasure: the public no longer gets what was erased, without waiting for the night. */
import { basename } from "node:path";
import { buildRelease, type Mended, type ReleaseSummary } from "../../build/build-release.ts";
import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { ErasedFound } from "../../build/stages/search-erased.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { releasePaths } from "../../kernel/home.ts";
import { acquireLock, type Lock } from "../../ledger/database/lock.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import { settingsOf } from "../../snapshot/mend/settings-of.ts";
import { isReadable, openSnapshot } from "../../snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { BUILD_LOCKS, clearLeftovers, lastErasure, lockToPublish } from "../publish-lock.ts";
import { pruneOlder, publishNext, reporterOf } from "../release.ts";
import { compiledPagesFolder } from "../served-pages.ts";
import { sourceRevision } from "../source-revision.ts";
import { writePurgeList } from "./purge.ts";

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

/**
 * Publishes a patch of the current release, unless that already covers the newest erasure or there is none. Starts again when another
 * release or another erasure comes meanwhile.
 */
export async function publishPatch(context: CommandContext): Promise<PublishedPatch | undefined> {
  const home = homeOf(context);
  const lock = acquireLock(BUILD_LOCKS.patching(home), "publishing a patch release", PATCH_WAIT_MS);
  try {
    clearLeftovers(home, "building");
    const patch = await attemptPatch(context, { linking: true, left: MAX_ATTEMPTS });
    return patch && { ...patch, refused: pruneOlder(context).refused };
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
  { linking, left }: Attempt,
): Promise<PatchedRelease | undefined> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  const directory = currentRelease(home);
  if (directory === undefined || treeSizeOf(directory) >= lastErasure(reader)) return undefined;
  try {
    return await patchOf(context, reader, { directory, linking });
  } catch (error) {
    if (left === 1 || !isWorthAnother(error, context, reader, directory)) throw error;
    context.stderr.write("patch      starting again\n");
    // Every file is made anew once a linked one was found wanting.
    return await attemptPatch(context, {
      linking: linking && !(error instanceof ErasedFound),
      left: left - 1,
    });
  }
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
    lastErasure(reader) > (reader.latestCheckpoint()?.size ?? 0)
  );
}

interface PatchOptions {
  readonly directory: string; // of the release to mend
  readonly linking: boolean;
}

async function patchOf(
  context: CommandContext,
  reader: LedgerReader,
  { directory, linking }: PatchOptions,
): Promise<PatchedRelease> {
  if (!isReadable(releasePaths(directory).snapshot))
    return { kind: "whole", summary: await publishNext(context, {}) };
  const treeSize = reader.latestCheckpoint()?.size ?? 0;
  const { settings, asOf } = frameOf(directory);
  const revision = context.config.sourceRevision ?? sourceRevision(context.project);
  const isLinkable = linking && settings.sourceRevision === revision;
  const summary = await buildRelease(
    {
      ...fixedInputs(context, reader),
      treeSize,
      asOf,
      settings: { ...settings, sourceRevision: revision },
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

/** What a patch release keeps of the release that it mends. */
function frameOf(directory: string) {
  const snapshot = openSnapshot(releasePaths(directory).snapshot);
  try {
    return { settings: settingsOf(snapshot), asOf: snapshot.release().asOf };
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
