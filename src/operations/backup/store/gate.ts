/**
 * A lost machine must not end the log: no checkpoint is published before the backup holds its rows and keys. Only an erasure does not wait for longer than
 * the public can.
 */

import { readBackupStatus } from "../../../kernel/backup-status.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { DAY_MS, isoDate } from "../../../kernel/time.ts";
import { type CommandContext, homeOf } from "../../context.ts";
import { failureText } from "../../failure-text.ts";
import { marksOf } from "./marks.ts";
import { backUp } from "./send.ts";
import { storeOf } from "./store.ts";

/** A first backup of a large ledger, or the removal of old ones, may take so long. */
const NIGHT_WAIT_MS = 3_600_000;
const ERASURE_WAIT_MS = 30_000;
const LOCK_WAIT_MS = 15_000;
/** Old backups are removed once a day, and one such day may fail. */
const REMOVAL_DAYS = 2;

/** Backs the tree up unless that is done. Throws OperatorError when the backup does not take it. */
export async function backUpBefore(context: CommandContext, treeSize: number): Promise<void> {
  if (isBackedUp(context, treeSize)) return;
  try {
    await backUp(context, { waitMs: NIGHT_WAIT_MS });
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
    const signal = AbortSignal.timeout(ERASURE_WAIT_MS);
    await backUp(context, { waitMs: LOCK_WAIT_MS, signal });
  } catch (error) {
    context.stderr.write(
      `WARNING: the erasure is not backed up yet, and goes out all the same: ${reasonOf(error)}\n`,
    );
  }
}

/** What the backups still hold of what was erased. */
export interface ErasedBackups {
  readonly isBackedUp: boolean; // the erasure itself
  readonly goneBy: string; // the date on which the last backup with the erased values is gone
}

/** What the operator is told of the backups after an erasure; undefined where none is configured. */
export function backupsAfterErasure(context: CommandContext, treeSize: number): ErasedBackups | undefined {
  const { backup } = context.config;
  if (backup === undefined) return undefined;
  const goneBy = isoDate(context.clock() + (backup.keptDays + REMOVAL_DAYS) * DAY_MS);
  return { isBackedUp: isBackedUp(context, treeSize), goneBy };
}

/** Whether the backup holds a tree with the keys of now, or none is configured. */
export function isBackedUp(context: Pick<CommandContext, "config">, treeSize: number): boolean {
  if (context.config.backup === undefined) return true;
  const home = homeOf(context);
  const { backed } = readBackupStatus(home.backupStatus);
  if (backed === null || backed.tree_size < treeSize) return false;
  const { repositories, keys } = marksOf(home, storeOf(context));
  return backed.marks.repositories === repositories && backed.marks.keys === keys;
}

function reasonOf(error: unknown): string {
  const isLate = error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);
  if (isLate) return `the backup did not answer within ${ERASURE_WAIT_MS / 1000} s`;
  return failureText(error).replace(/^presence: /, "");
}
