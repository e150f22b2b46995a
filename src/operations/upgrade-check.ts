/** `presence upgrade check`: whether this version goes on with a home, tried on a copy of it. */

import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../kernel/errors.ts";
import type { Home } from "../kernel/home.ts";
import type { Secret } from "../kernel/secret.ts";
import type { Clock } from "../kernel/time.ts";
import { openLedgerWriter } from "../ledger/writer.ts";
import { readStateFile } from "../state/database/database-file.ts";
import { stateFormat } from "../state/database/migrate.ts";
import { openState, versionInPostgres } from "../state/open-state.ts";
import { backupHome, copyDatabase, copyKeys, copyPaths, copyState } from "./backup/backup-home.ts";

export interface UpgradeOptions {
  readonly scratch: string; // an existing folder
  readonly stateUrl: Secret | undefined;
  readonly clock: Clock;
  /** Free bytes on the disk of a path. */
  readonly freeBytes: (path: string) => number;
  readonly say: (line: string) => void;
  /** Hears the folder of the copies as soon as it exists. */
  readonly onFolder?: (folder: string) => void;
}

export interface UpgradeCheck {
  readonly rows: number; // of the ledger, all verified
  /** The formats that the stores have, null without a state, and those that this program makes of them. */
  readonly ledger: { readonly from: number; readonly to: number };
  readonly state: { readonly from: number | null; readonly to: number; readonly tried: boolean };
  /** Of the databases of the home, and of their copies once this version has opened them. */
  readonly bytes: { readonly before: number; readonly after: number };
  readonly seconds: Readonly<Record<"copy" | "open" | "verify", number>>;
}

const COPIES = 3; // the copy, the journal of its migration, and the backup that verifies it
const SLACK_BYTES = 16 << 20;
const MIB = 1 << 20;
const progress = () => undefined;

/**
 * Copies ledger, keys and state into a scratch folder, opens the copies for writing, which migrates them, and backs them up, which verifies every row
 * and what belongs together. The home stays as it is, and the copies are removed. Of a state in PostgreSQL only the version is read. Throws
 * OperatorError for whatever would stop this version.
 */
export async function checkUpgrade(home: Home, options: UpgradeOptions): Promise<UpgradeCheck> {
  assertSpace(COPIES * databaseBytes(home) + SLACK_BYTES, options);
  const folder = makeScratch(options.scratch);
  options.onFolder?.(folder);
  const copy = copyPaths(join(folder, "home"));
  try {
    return await tried(home, copy, join(folder, "backup"), options);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // The copies are deleted when the message is read.
    const message = error.message.replaceAll(copy.stateKey, home.stateKey);
    throw new OperatorError(message.replaceAll(copy.root, home.root), { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tried(home: Home, copy: Home, backup: string, options: UpgradeOptions): Promise<UpgradeCheck> {
  const { clock, say, stateUrl } = options;
  mkdirSync(backup);
  const times = [performance.now()];
  say("copying ledger, keys and state");
  copyKeys(home, copy.keys);
  await copyDatabase(home.ledger, copy.ledger, progress);
  if (stateUrl === undefined) await copyState(home, copy, progress);
  const [ledger, state] = [formatIn(copy.ledger), readStateFile(copy.state)?.version ?? null];
  times.push(performance.now());
  say("opening the copies, which migrates them");
  openLedgerWriter(copy.ledger, { keysDir: copy.keys, clock }).close();
  const inPostgres = stateUrl && (await versionInPostgres(stateUrl, home));
  if (state !== null) await (await openState(undefined, copy, { clock })).close();
  times.push(performance.now());
  say("verifying every row");
  const asked = {
    stateIsElsewhere: stateUrl !== undefined,
    provedRows: 0,
    withKeys: true,
    madeAt: clock(),
    progress,
  };
  const { rows } = await backupHome(copy, backup, asked);
  times.push(performance.now());
  const seconds = (step: number) => Math.round(((times[step + 1] ?? 0) - (times[step] ?? 0)) / 10) / 100;
  return {
    rows,
    ledger: { from: ledger, to: formatIn(copy.ledger) },
    state: { from: inPostgres ?? state, to: stateFormat("sqlite").version, tried: stateUrl === undefined },
    bytes: { before: databaseBytes(home), after: databaseBytes(copy) },
    seconds: { copy: seconds(0), open: seconds(1), verify: seconds(2) },
  };
}

/** The `user_version` in the header of a database that nobody has open. */
function formatIn(path: string): number {
  const [header, file] = [Buffer.alloc(64), openSync(path, "r")];
  readSync(file, header);
  closeSync(file);
  return header.readInt32BE(60);
}

function makeScratch(folder: string): string {
  try {
    return mkdtempSync(join(folder, "presence-upgrade-check-"));
  } catch (cause) {
    throw new OperatorError(`--scratch ${folder}: not a folder that this user can write to: name another`, {
      cause,
    });
  }
}

function assertSpace(needed: number, { scratch, freeBytes }: UpgradeOptions): void {
  const free = freeBytes(scratch);
  if (free < needed)
    throw new OperatorError(
      `${scratch}: the copies need ${Math.ceil(needed / MIB)} MiB, and ${Math.floor(free / MIB)} MiB are free: name a folder on a larger disk with --scratch`,
    );
}

/** Of ledger and state with their write-ahead logs. */
function databaseBytes({ ledger, state }: Home): number {
  const files = [ledger, state].flatMap((path) => [path, `${path}-wal`]).filter((path) => existsSync(path));
  return files.reduce((sum, path) => sum + statSync(path).size, 0);
}
