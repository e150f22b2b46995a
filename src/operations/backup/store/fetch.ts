import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { OperatorError } from "../../../kernel/errors.ts";
import { homePaths } from "../../../kernel/home.ts";
import { readStateFile } from "../../../state/database/database-file.ts";
import { listedFile, putBackupManifest, readBackupManifest } from "../backup-manifest.ts";
import type { Repository, Snapshot } from "./restic.ts";
import type { Store } from "./store.ts";

export interface Fetched {
  readonly backup: string; // folder, as `presence backup --without-keys` makes it
  readonly keys: string; // folder
  readonly ledgerAt: number; // ms
  readonly stateAt: number; // ms
}

/**
 * Fetches the newest backup into an empty folder: ledger, keys, and the state as of its own newest snapshot, which may be newer. Throws OperatorError when a
 * repository cannot be read or has no backup.
 */
export async function fetchBackup({ data, keys }: Store, into: string): Promise<Fetched> {
  const at = { backup: join(into, "home"), keys: join(into, "keys"), state: join(into, "state") };
  const ledger = await fetchNewest(data, "ledger", at.backup);
  await fetchNewest(keys, "keys", at.keys);
  const state = await data.newest("state");
  const isNewer = state !== undefined && state.at > ledger.at;
  if (isNewer) {
    await data.restore(state, emptyFolder(at.state));
    await takeState(at.state, at.backup);
  }
  return { backup: at.backup, keys: at.keys, ledgerAt: ledger.at, stateAt: isNewer ? state.at : ledger.at };
}

async function fetchNewest(
  repository: Repository,
  kind: "ledger" | "keys",
  folder: string,
): Promise<Snapshot> {
  const snapshot = await repository.newest(kind);
  if (snapshot === undefined)
    throw new OperatorError(
      `${repository.name}: it holds no backup of the ${kind} yet: run \`presence backup\``,
    );
  await repository.restore(snapshot, emptyFolder(folder));
  return snapshot;
}

function emptyFolder(folder: string): string {
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Puts a newer state into the backup, and its hash into the manifest. */
async function takeState(from: string, backup: string): Promise<void> {
  const manifest = readBackupManifest(backup);
  const state = homePaths(from).state;
  const version = readStateFile(state)?.version ?? null;
  const to = homePaths(backup).state;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(state, to);
  rmSync(from, { recursive: true });
  const files = { ...manifest.files, [relative(backup, to)]: await listedFile(to) };
  putBackupManifest(backup, { ...manifest, files, state: "sqlite", state_version: version });
}
