/** What keeps the repositories themselves. */

import { noteBackup } from "../../../kernel/backup-status.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, homeOf } from "../../context.ts";
import { outdated } from "./retention.ts";
import { lockStore, storeOf } from "./store.ts";

const WAIT_MS = 600_000;

/** Makes the repositories that are not there yet. Returns their names. */
export async function createRepositories(context: CommandContext): Promise<string[]> {
  const { data, keys } = storeOf(context);
  const made: string[] = [];
  for (const repository of [data, keys]) {
    if (await repository.exists()) continue;
    await repository.create();
    made.push(repository.name);
  }
  return made;
}

/** Removes what the retention no longer keeps. Returns the days that it keeps. */
export async function removeOldBackups(context: CommandContext): Promise<number> {
  const home = homeOf(context);
  const { data, keys, keptDays } = storeOf(context);
  const lock = lockStore(home, "removing old backups", WAIT_MS);
  try {
    for (const repository of [data, keys])
      await repository.remove(outdated(await repository.snapshots(), context.clock(), keptDays));
    noteBackup(home, { pruned: isoTime(context.clock()) });
    return keptDays;
  } finally {
    lock.release();
  }
}
