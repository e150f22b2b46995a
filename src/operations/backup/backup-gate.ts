/**
 * A lost machine must not end the log: no checkpoint is published before the backup holds its rows and keys. Only an erasure does not wait for longer than
 * the public can.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { COMMAND_PATH } from "../../kernel/config/environment.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { readForeignFile } from "../../kernel/files/foreign-file.ts";
import { MAX_SECRET_BYTES } from "../../kernel/files/secret-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Home } from "../../kernel/home.ts";
import { readBackupStatus } from "../../kernel/status-files.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { failureText } from "../failure-text.ts";

/** A first backup of a large ledger, or the removal of old ones, may take so long. */
const NIGHT_WAIT_MS = 3_600_000;
const ERASURE_WAIT_MS = 30_000;
/** Old backups are removed once a day, and one such day may fail. */
const REMOVAL_DAYS = 2;

/** Backs the tree up unless that is done. Throws OperatorError when the backup does not take it. */
export async function backUpBefore(context: CommandContext, treeSize: number): Promise<void> {
  if (isBackedUp(context, treeSize)) return;
  try {
    await callHook(context, NIGHT_WAIT_MS);
  } catch (cause) {
    throw new OperatorError(
      `the backup does not hold the rows of this release yet, so it is not published, and the release before it stays: ${reasonOf(cause)}. Solve that, and run the command again`,
      { cause },
    );
  }
}

/** The same for an erasure, which the public gets after half a minute at the latest. */
export async function backUpErasure(context: CommandContext, treeSize: number): Promise<void> {
  if (isBackedUp(context, treeSize)) return;
  try {
    await callHook(context, ERASURE_WAIT_MS);
  } catch (error) {
    context.stderr.write(
      `WARNING: the erasure is not backed up yet, and goes out all the same: ${reasonOf(error)}\n`,
    );
  }
}

/** What the backups still hold of what was erased. */
export interface ErasedBackups {
  readonly isBackedUp: boolean; // the erasure itself
  readonly goneBy: string | null; // the date on which the last backup with the erased values is gone; null where nothing was ever backed up
}

/** What the operator is told of the backups after an erasure; undefined where none is configured. */
export function backupsAfterErasure(context: CommandContext, treeSize: number): ErasedBackups | undefined {
  if (context.config.backupHook === undefined) return undefined;
  const { kept_days: days } = readBackupStatus(homeOf(context).backupStatus);
  const goneBy = days === null ? null : isoDate(context.clock() + (days + REMOVAL_DAYS) * DAY_MS);
  return { isBackedUp: isBackedUp(context, treeSize), goneBy };
}

/** Whether the backup holds a tree with the keys of now, or none is configured. */
export function isBackedUp(context: Pick<CommandContext, "config">, treeSize: number): boolean {
  if (context.config.backupHook === undefined) return true;
  const home = homeOf(context);
  const { backed } = readBackupStatus(home.backupStatus);
  if (backed === null || backed.tree_size < treeSize) return false;
  const keys = keyFiles(home);
  const isBacked = (file: string) => backed.keys[basename(file)] === hashOfKey(file);
  return keys.length === Object.keys(backed.keys).length && keys.every(isBacked);
}

/** Without the heads beside the keys, which are public and move with each release. */
function keyFiles({ keys, stateKey }: Home): string[] {
  const names = existsSync(keys) ? readdirSync(keys).filter((name) => /\.(json|key|next)$/.test(name)) : [];
  const files = new Set([...names.map((name) => join(keys, name)), stateKey]);
  return [...files].filter((file) => existsSync(file));
}

/** That of the state lies in a folder of the server's user. */
function hashOfKey(file: string): string {
  const rules = { maxBytes: MAX_SECRET_BYTES, hasNames: true };
  return sha256Hex(readForeignFile(dirname(file), basename(file), rules));
}

const MAX_OUTPUT = 2000; // characters

/** Without a shell and without secrets. What it started ends with it, when the time is over. */
async function callHook(context: CommandContext, waitMs: number): Promise<void> {
  const hook = context.config.backupHook ?? "";
  const env = { PATH: COMMAND_PATH, PRESENCE_HOME: homeOf(context).root };
  const child = spawn(hook, { env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
    child.stderr.destroy(); // which something that left the group may still hold
  }, waitMs);
  try {
    const [code, signal] = await once(child, "close");
    if (isLate) throw new OperatorError(`the backup did not end within ${waitMs / 1000} s`);
    if (code !== 0)
      throw new OperatorError(`${hook}: ${output.trim() || `it ended with ${signal ?? `code ${code}`}`}`);
  } finally {
    clearTimeout(timer);
  }
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error; // it has just ended
  }
}

function reasonOf(error: unknown): string {
  return failureText(error).replace(/^presence: /, "");
}
