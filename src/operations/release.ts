import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { buildRelease, type ReleaseSummary } from "../build/build-release.ts";
import { openFigures, readFigures } from "../build/figures/signed-figures.ts";
import { type Finding, figuresMissing, judgeRelease } from "../build/judge/judge-release.ts";
import type { ReleaseReview } from "../build/publish-or-hold.ts";
import { buildReporter, type Reporter } from "../build/reporter.ts";
import { readReview, removeStrayHeld } from "../build/stages/held.ts";
import { currentRelease, type Pruning, pruneReleases, treeSizeOf } from "../build/stages/publish.ts";
import { OperatorError } from "../kernel/errors.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import { isoTime } from "../kernel/time.ts";
import { acquireLock, type Lock } from "../ledger/database/lock.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import { FormatError } from "../proof/tlog/bytes.ts";
import { releaseColumns } from "../snapshot/release-settings.ts";
import { backUpBefore, backUpErasure } from "./backup/backup-gate.ts";
import { type CommandContext, homeOf, parseInstant, publishedRelease } from "./context.ts";
import { matchPublished } from "./delivery.ts";
import { BUILD_LOCKS, clearLeftovers, lastErasure, lockToPublish, withPublishLock } from "./publish-lock.ts";
import { operatorSettings, releaseSettings, sourceRevision } from "./release-settings.ts";
import { compiledPagesFolder } from "./served-pages.ts";

export interface ReleaseOptions {
  readonly asOf?: string;
  readonly treeSize?: string;
  readonly against?: string;
  /** Takes no file over from the release before, which may be damaged. */
  readonly anew?: boolean;
  /** False publishes in any case: after an erasure, and for a demonstration that starts. */
  readonly mayBeHeld?: boolean;
  /** What must not wait for the backup for longer than an erasure may. */
  readonly isErasure?: boolean;
}

/** Builds a release of the sealed rows, publishes it, removes older ones and queues its events, or holds it. Throws OperatorError as `publishNext` does. */
export async function makeRelease(
  context: CommandContext,
  options: ReleaseOptions,
): Promise<ReleaseSummary & { readonly releasesRemoved: number }> {
  const summary = await publishNext(context, options);
  if (summary.held !== null) return { ...summary, releasesRemoved: 0 };
  const { removed, refused } = pruneOlder(context);
  if (refused.length > 0) context.stderr.write(`WARNING: ${pruningText(refused)}\n`);
  await matchPublished(context, summary.directory);
  return { ...summary, releasesRemoved: removed };
}

/** Removes the releases that RELEASES_KEPT or an erasure no longer allows. What cannot be removed fails no build: readers have the new release. */
export function pruneOlder(context: CommandContext): Pruning {
  const home = homeOf(context);
  const current = currentRelease(home);
  if (current === undefined) return { removed: 0, refused: [] };
  using reader = openLedgerReader(home.ledger);
  const erasure = reader.redactions(treeSizeOf(current)).at(-1)?.id ?? 0;
  return pruneReleases(home, context.config.releasesKept, erasure);
}

/** What to tell the operator of older releases that the system refused to remove. */
export function pruningText(refused: readonly string[]): string {
  return `${refused.length} older ${refused.length === 1 ? "release" : "releases"} could not be removed (${refused[0]}): run \`presence doctor\``;
}

/** Erasures are rare: each costs a running build at most two attempts, at its seal and at its patch release. */
const MAX_ATTEMPTS = 5;

/**
 * Builds a release of the sealed rows, and publishes it unless it is held. Builds again when something is erased meanwhile: what was
 * built before an erasure is never published. Throws OperatorError when nothing is sealed or another build is running.
 */
export async function publishNext(context: CommandContext, options: ReleaseOptions): Promise<ReleaseSummary> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  mkdirSync(home.night, { recursive: true });
  const lock = lockReleases(home);
  try {
    clearLeftovers(home, "patching");
    withPublishLock(home, "removing leftovers", () => removeStrayHeld(home));
    for (let attempt = 1; ; attempt += 1) {
      const treeSize = chosenTreeSize(reader, options.treeSize);
      const earlier = currentRelease(home);
      try {
        return await buildOf(context, reader, treeSize, options);
      } catch (error) {
        // A patch release deletes the one that this build links its files from.
        const isUndercut = lastErasure(reader) > treeSize || currentRelease(home) !== earlier;
        if (attempt === MAX_ATTEMPTS || !isUndercut || options.treeSize !== undefined) throw error;
        context.stderr.write("build      something was erased meanwhile: building again\n");
      }
    }
  } finally {
    lock.release();
  }
}

async function buildOf(
  context: CommandContext,
  reader: LedgerReader,
  treeSize: number,
  options: ReleaseOptions,
): Promise<ReleaseSummary> {
  const home = homeOf(context);
  const signer = reader.manifestSigner(home.keys);
  const asOf = chosenAsOf(context, reader, treeSize, options.asOf);
  const now = options.asOf === undefined ? context.clock() : asOf;
  return await buildRelease(
    {
      home,
      project: context.project,
      treeSize,
      asOf,
      settings: await releaseSettings(context, reader.meta.environment, { asOf, now }),
      documents: context.config.recordDocuments,
      against: options.against,
      isAnew: options.anew === true,
      compiledPages: compiledPagesFolder(context),
      sign: (text) => signer.sign(text),
      openNote: (note) => reader.openManifestNote(note),
      review: options.mayBeHeld === false ? undefined : reviewOf(context, reader, options),
      beforePublish: async () => {
        await (options.isErasure === true ? backUpErasure : backUpBefore)(context, treeSize);
        return lockToPublish(home, reader, treeSize);
      },
      // Caches have long forgotten what the lists name.
      onPublished: () => rmSync(home.purge, { recursive: true, force: true }),
    },
    reporterOf(context),
  );
}

/** Bounds are for nights: whoever names a time or a tree wants that release. The operator's hold is for all. */
function reviewOf(
  context: CommandContext,
  reader: LedgerReader,
  { asOf, treeSize }: ReleaseOptions,
): ReleaseReview {
  const home = homeOf(context);
  return {
    judge(staging) {
      const published = currentRelease(home);
      const isBounded = isWhole(published) && asOf === undefined && treeSize === undefined;
      return {
        against: published === undefined ? null : basename(published),
        findings: isBounded ? judgeBuilt(context, reader, { published, staging }) : [],
        held_at: isoTime(context.clock()),
      };
    },
    isHeld: ({ findings }) => findings.length > 0 || readReview(home).hold !== null,
  };
}

function judgeBuilt(
  { config: { strictness } }: CommandContext,
  reader: LedgerReader,
  { published, staging }: { readonly published: string; readonly staging: string },
): Finding[] {
  if (strictness === "off") return [];
  const open = (note: string) => reader.openManifestNote(note);
  const after = openFigures(readFigures(staging), open);
  try {
    return judgeRelease(openFigures(readFigures(published), open), after, strictness);
  } catch (error) {
    if (error instanceof FormatError) return [figuresMissing(error.message)];
    throw error;
  }
}

/** A release with holes is replaced by a whole one, whatever that has. */
function isWhole(directory: string | undefined): directory is string {
  if (directory === undefined) return false;
  const { snapshot, manifest } = releasePaths(directory);
  return existsSync(snapshot) && existsSync(manifest);
}

export function reporterOf(context: CommandContext): Reporter {
  const { buildLog: logFile } = homeOf(context);
  return buildReporter({ output: context.stderr, logFile, clock: context.clock });
}

/** The lock of builds and of key changes, so that a build uses one set of keys. */
export function lockReleases(home: Home): Lock {
  return acquireLock(BUILD_LOCKS.building(home), `building a release in ${home.night}`);
}

function chosenTreeSize(reader: LedgerReader, option: string | undefined): number {
  const latest = reader.latestCheckpoint();
  if (latest === undefined)
    throw new OperatorError("no rows are sealed yet: run `presence seal --now` first");
  if (option === undefined) return latest.size;
  const size = Number(option);
  if (reader.checkpointAt(size) !== undefined) return size;
  throw new OperatorError(
    `--tree-size ${option}: no checkpoint has that size; the newest has ${latest.size}`,
  );
}

/** The present in production. A demonstration stands at its last seal, or at the last news of that seal's external proof, so that its build is repeatable. */
function chosenAsOf(
  context: CommandContext,
  reader: LedgerReader,
  treeSize: number,
  option: string | undefined,
): number {
  if (option !== undefined) return parseInstant(option, "--as-of");
  if (reader.meta.environment === "production") return Math.floor(context.clock() / 1000) * 1000;
  const last = reader.seals(treeSize).at(-1);
  if (last === undefined) return context.clock();
  const proof = reader.externalProofs().find(({ size }) => size === treeSize);
  const provenAt = proof?.status === "pending" ? proof.requestedAt : proof?.attemptedAt;
  return Math.max(Date.parse(last.body.created_at), provenAt ?? 0);
}

/** Whether the sources of the present program made the current release. */
export function isOfThisProgram(context: CommandContext): boolean {
  const revision = context.config.sourceRevision ?? sourceRevision(context.project);
  return publishedRelease(homeOf(context))?.sourceRevision === revision;
}

/** Whether the current release holds all sealed rows and has the operator's present settings. */
export function isReleased(context: CommandContext): boolean {
  const home = homeOf(context);
  const release = publishedRelease(home);
  if (release === undefined) return false;
  using reader = openLedgerReader(home.ledger);
  const settings = operatorSettings(context.config, release.environment, context.clock());
  return (
    release.treeSize === reader.latestCheckpoint()?.size &&
    isDeepStrictEqual(release, { ...release, ...releaseColumns(settings) })
  );
}
