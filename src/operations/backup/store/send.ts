/** Backups off the machine. Each is whole; restic stores what is new of it. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Backed, noteBackup, readBackupStatus } from "../../../kernel/backup-status.ts";
import { type Home, homePaths } from "../../../kernel/home.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, homeOf } from "../../context.ts";
import { failureText } from "../../failure-text.ts";
import { backupHome, copyState } from "../backup-home.ts";
import { marksOf } from "./marks.ts";
import { lockStore, type Store, storeOf } from "./store.ts";

const FOLDER_MODE = 0o700;
const BUSY = "making a backup";

interface SendOptions {
  readonly waitMs: number; // for another backup
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
}

export interface Sent {
  readonly stored: "all" | "state" | "nothing"; // what had changed since the backup before
  readonly asOf: number; // ms: what was acknowledged by then is in the backup
  readonly treeSize: number;
}

/**
 * Stores what changed since the last backup: the keys first, as in `backupHome`, then ledger and state together, or the state alone. Throws OperatorError
 * when the repository does not take it, and the signal's reason; the status of the backups tells of it.
 */
export async function backUp(context: CommandContext, options: SendOptions): Promise<Sent> {
  const home = homeOf(context);
  const store = storeOf(context);
  const lock = lockStore(home, BUSY, options.waitMs);
  try {
    emptyStaging(home);
    return await send(context, store, options);
  } catch (error) {
    noteBackup(home, { failure: { at: isoTime(context.clock()), problem: failureText(error) } });
    throw error;
  } finally {
    rmSync(home.backupStaging, { recursive: true, force: true });
    lock.release();
  }
}

/** What a killed backup left goes first. */
function emptyStaging({ backupStaging }: Home): void {
  rmSync(backupStaging, { recursive: true, force: true });
  mkdirSync(backupStaging, { mode: FOLDER_MODE });
}

async function send(context: CommandContext, store: Store, options: SendOptions): Promise<Sent> {
  const home = homeOf(context);
  const asOf = context.clock();
  const marks = marksOf(home, store);
  const { backed } = readBackupStatus(home.backupStatus);
  const stored = changedSince(backed, marks);
  const treeSize =
    stored === "all"
      ? await sendAll(context, store, { ...options, backed, marks })
      : (backed?.tree_size ?? 0);
  if (stored === "state") await sendState(home, store, options);
  noteBackup(home, { backed: { as_of: isoTime(asOf), tree_size: treeSize, marks }, failure: null });
  return { stored, asOf, treeSize };
}

function changedSince(backed: Backed | null, marks: Backed["marks"]): Sent["stored"] {
  const isSame = (part: keyof Backed["marks"]) => backed?.marks[part] === marks[part];
  if (!isSame("repositories") || !isSame("keys") || !isSame("ledger")) return "all";
  return isSame("state") ? "nothing" : "state";
}

interface FullOptions extends SendOptions {
  readonly backed: Backed | null;
  readonly marks: Backed["marks"];
}

/** Returns the size of the tree that is backed up. Rows that an earlier backup of this place proved are not proved again. */
async function sendAll(context: CommandContext, store: Store, options: FullOptions): Promise<number> {
  const { backed, marks, signal } = options;
  const home = homeOf(context);
  const [folder, keysTo] = ["home", "keys"].map((name) => join(home.backupStaging, name));
  mkdirSync(folder ?? "", { mode: FOLDER_MODE });
  const isContinued = backed?.marks.repositories === marks.repositories;
  const manifest = await backupHome(home, folder ?? "", {
    stateIsElsewhere: context.config.stateUrl !== undefined,
    withKeys: false,
    keysTo,
    checkedRows: isContinued ? backed.tree_size : undefined,
    madeAt: context.clock(),
    progress: interruptible(options),
  });
  await store.keys.store("keys", keysTo ?? "", signal);
  await store.data.store("ledger", folder ?? "", signal);
  return manifest.tree_size;
}

async function sendState(home: Home, { data }: Store, options: SendOptions): Promise<void> {
  const folder = join(home.backupStaging, "state");
  mkdirSync(folder, { mode: FOLDER_MODE });
  await copyState(home, homePaths(folder), interruptible(options));
  await data.store("state", folder, options.signal);
}

function interruptible({ signal, progress }: SendOptions) {
  return (done: number, total: number) => {
    signal?.throwIfAborted();
    progress?.(done, total);
  };
}
