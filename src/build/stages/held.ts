/**
 * The held release: built, whole, and not published until the operator approves it. It lies beside the others under a hidden name, which
 * servers, change files and pruning pass over. One file under the home says why it is held, and whether the operator holds all releases.
 */
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { HELD_PREFIX, type Home } from "../../kernel/home.ts";
import { systemClock } from "../../kernel/time.ts";
import { Finding } from "../judge/judge-release.ts";
import { stampNewFiles } from "./first-published.ts";
import { currentRelease, discardFolder, freeName, pointTo, syncFileSystem, syncFolder } from "./publish.ts";

const Time = z.iso.datetime();
const FolderName = z.string().regex(/^[0-9a-zA-Z][0-9a-zA-Z.-]*$/);

export const HeldRelease = z.strictObject({
  name: FolderName, // of the folder that it gets when it is published
  release_id: z.string(),
  held_at: Time,
  /** Folder of the published release that it was compared with; null: none. */
  against: FolderName.nullable(),
  findings: z.array(Finding),
});
export type HeldRelease = z.infer<typeof HeldRelease>;

export const Hold = z.strictObject({ since: Time, note: z.string().max(500).nullable() });
export type Hold = z.infer<typeof Hold>;

const Review = z.strictObject({
  /** The operator holds every release until one is approved. */
  hold: Hold.nullable(),
  held: HeldRelease.nullable(),
});
type Review = z.infer<typeof Review>;

const NOTHING: Review = { hold: null, held: null };

/** Throws OperatorError for a file that is not one of this program. */
export function readReview({ review }: Home): Review {
  try {
    return Review.parse(JSON.parse(readFileSync(review, "utf8")));
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return NOTHING;
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw new OperatorError(
      `${review}: not readable as the file about held releases: delete it, and run \`presence release hold\` if releases are to wait for you`,
      { cause },
    );
  }
}

export function writeReview(home: Home, change: Partial<Review>): void {
  const review: Review = { ...readReview(home), ...change };
  replaceFile(home.review, `${JSON.stringify(review, null, 2)}\n`, SECRET_MODE);
}

/** The held release with its folder; undefined if there is none. */
export function heldRelease(home: Home): (HeldRelease & { readonly directory: string }) | undefined {
  const { held } = readReview(home);
  if (held === null) return undefined;
  // Without its hidden name after an approval that was cut short.
  const directory = [hiddenFolder(home, held.name), join(home.releases, held.name)].find(existsSync);
  return directory === undefined || directory === currentRelease(home) ? undefined : { ...held, directory };
}

function hiddenFolder({ releases }: Home, name: string): string {
  return join(releases, HELD_PREFIX + name);
}

/** Puts a built release beside the others, in place of the one that was held before. Returns its folder. */
export function holdRelease(home: Home, staging: string, facts: Omit<HeldRelease, "name">): string {
  const before = heldRelease(home);
  const name = freeName(home, facts.release_id, hiddenNames(home));
  const directory = hiddenFolder(home, name);
  syncFileSystem(staging);
  renameSync(staging, directory);
  syncFolder(home.releases);
  writeReview(home, { held: { ...facts, name } });
  if (before !== undefined) discardFolder(home, before.directory);
  return directory;
}

/** Publishes the held release, and lifts the operator's hold. Returns its folder. */
export function publishHeld(
  home: Home,
  { name, release_id, directory }: HeldRelease & { directory: string },
): string {
  stampNewFiles(directory, currentRelease(home), systemClock);
  syncFileSystem(directory);
  if (basename(directory) !== name) renameSync(directory, join(home.releases, name));
  syncFolder(home.releases);
  pointTo(home, name, release_id);
  writeReview(home, NOTHING);
  return join(home.releases, name);
}

/** Removes the held release, if there is one. */
export function discardHeld(home: Home): void {
  const held = heldRelease(home);
  if (readReview(home).held !== null) writeReview(home, { held: null });
  if (held !== undefined) discardFolder(home, held.directory);
}

/** Removes what a killed build or approval left under a hidden name. */
export function removeStrayHeld(home: Home): void {
  const held = heldRelease(home);
  for (const name of hiddenNames(home))
    if (held === undefined || name !== held.name) discardFolder(home, hiddenFolder(home, name));
}

function hiddenNames({ releases }: Home): string[] {
  if (!existsSync(releases)) return [];
  return readdirSync(releases)
    .filter((name) => name.startsWith(HELD_PREFIX))
    .map((name) => name.slice(HELD_PREFIX.length));
}
