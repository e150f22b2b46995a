import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ReleaseChanges } from "../../contract/service/exports.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import { readFigures, SignedFigures } from "../figures/signed-figures.ts";

/** A release to compare with: one that is kept, or the last one before a restore. */
export interface KnownRelease {
  readonly releaseId: string;
  readonly asOf: string; // ISO 8601, UTC
  /** Throws FormatError where there are none. */
  figures(): SignedFigures;
  /** Its own change file. */
  changes(): ReleaseChanges;
}

export const CHANGES_JSON = "exports/changes.json";
export const CHANGES_CSV = "exports/changes.csv";

/** What a backup keeps of the current release, instead of all its files. */
export const LastRelease = z.object({ figures: SignedFigures, changes: ReleaseChanges });
export type LastRelease = z.infer<typeof LastRelease>;

/** Every known release, without staging directories and those being removed. */
export function knownReleases(home: Home): KnownRelease[] {
  const names = existsSync(home.releases) ? readdirSync(home.releases) : [];
  const kept = names
    .filter((name) => !name.startsWith("."))
    .sort()
    .map((name) => join(home.releases, name))
    .filter((directory) => existsSync(releasePaths(directory).manifest))
    .map(keptRelease);
  return existsSync(home.lastRelease) ? [...kept, restoredRelease(home.lastRelease)] : kept;
}

export function keptRelease(directory: string): KnownRelease {
  const { site, manifest } = releasePaths(directory);
  const { release_id, inputs } = readOwnManifest(manifest);
  return {
    releaseId: release_id,
    asOf: inputs.as_of,
    figures: () => readFigures(directory),
    changes: () => ReleaseChanges.parse(JSON.parse(readFileSync(join(site, CHANGES_JSON), "utf8"))),
  };
}

function restoredRelease(path: string): KnownRelease {
  const { figures, changes } = LastRelease.parse(JSON.parse(readFileSync(path, "utf8")));
  return {
    releaseId: changes.release.release_id,
    asOf: changes.release.data_as_of,
    figures: () => figures,
    changes: () => changes,
  };
}

/** The newest release of an earlier time, or the one that `wanted` names (`none`: none). Throws OperatorError for an unknown name. */
export function releaseBefore(
  known: readonly KnownRelease[],
  asOf: string,
  wanted: string | undefined,
): KnownRelease | undefined {
  if (wanted === "none") return undefined;
  if (wanted === undefined)
    return known
      .filter((release) => release.asOf < asOf)
      .sort((a, b) => (a.asOf < b.asOf ? -1 : 1))
      .at(-1);
  const named = known.find(({ releaseId }) => releaseId === wanted);
  if (named !== undefined) return named;
  throw new OperatorError(
    `--against ${wanted}: no release of that id is kept here: give one of ${known.map(({ releaseId }) => releaseId).join(", ") || "none"}, or none`,
  );
}
