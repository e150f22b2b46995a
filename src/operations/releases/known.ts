/** The releases under PRESENCE_HOME, for the operator. */

import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type HeldRelease, heldRelease, readReview } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import { heldProblem } from "../publish-lock.ts";

export type ReleaseState = "published" | "held" | "older";

export interface ListedRelease {
  readonly release: string; // id
  readonly state: ReleaseState;
  readonly as_of: string;
  readonly tree_size: number;
  readonly mends: string | null; // of a patch release
  readonly directory: string;
  /** Of the held release. */
  readonly held_at: string | null;
  readonly findings: HeldRelease["findings"];
  readonly problem: string | null; // why it can no longer be approved
}

export interface ReleaseList {
  readonly hold: { readonly since: string; readonly note: string | null } | null;
  readonly releases: readonly ListedRelease[]; // newest first
}

export function listReleases(home: Home): ReleaseList {
  const held = heldRelease(home);
  const current = currentRelease(home);
  const names = existsSync(home.releases) ? readdirSync(home.releases) : [];
  const folders = names.filter((name) => !name.startsWith(".")).map((name) => join(home.releases, name));
  const open = folders.filter((folder) => folder !== held?.directory && isWhole(folder));
  const listed = open.map((folder) => described(folder, folder === current ? "published" : "older"));
  const all = held === undefined ? listed : [...listed, describedHeld(home, held)];
  return {
    hold: readReview(home).hold,
    releases: all.sort((a, b) =>
      a.as_of < b.as_of ? 1 : a.as_of > b.as_of ? -1 : b.tree_size - a.tree_size,
    ),
  };
}

/** The folder of a release by its id, or by the name of its folder. Throws OperatorError for an unknown one. */
export function findRelease(home: Home, wanted: string): string {
  const { releases } = listReleases(home);
  const named = releases.find(({ directory }) => basename(directory) === wanted);
  const found = named ?? releases.find(({ release }) => release === wanted);
  if (found !== undefined) return found.directory;
  throw new OperatorError(
    `${wanted}: no release of that id is here; \`presence release list\` shows all of them`,
  );
}

export function releaseIdOf(directory: string): string {
  return readOwnManifest(releasePaths(directory).manifest).release_id;
}

function isWhole(directory: string): boolean {
  return existsSync(releasePaths(directory).manifest);
}

function described(directory: string, state: ReleaseState): ListedRelease {
  const { release_id: release, inputs, mends } = readOwnManifest(releasePaths(directory).manifest);
  const { as_of, tree_size } = inputs;
  const review = { held_at: null, findings: [], problem: null };
  return { release, state, as_of, tree_size, mends: mends?.release_id ?? null, directory, ...review };
}

function describedHeld(home: Home, held: HeldRelease & { readonly directory: string }): ListedRelease {
  using reader = openLedgerReader(home.ledger);
  const { held_at, findings } = held;
  return {
    ...described(held.directory, "held"),
    held_at,
    findings,
    problem: heldProblem(home, reader, held),
  };
}
