import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { readBackupStatus } from "../../kernel/backup-status.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import { isBackedUp } from "../backup/backup-gate.ts";
import { type Check, type CheckContext, type Finding, findingIf } from "./check.ts";

/** What is acknowledged costs a lost machine at most so much: the timer's five minutes, and the time that a backup takes. */
const BACKUP_LATE_MS = 600 * SECOND_MS;
/** Objects are checked, and old backups removed, once a day. */
const UPKEEP_LATE_MS = 3 * DAY_MS;
/** A backup is restored and proved once a week. */
const CHECK_LATE_MS = 10 * DAY_MS;
const TIMERS = "systemctl list-timers 'presence-backup*'";

/** Backups off the machine, where they are configured. */
export const backups: Check = {
  name: "backups",
  find(context) {
    if (context.config.backupHook === undefined) return [];
    return [...findInTime(context), ...findUnpublishable(context), ...findUnchecked(context)];
  },
};

function findInTime({ home, now }: CheckContext): Finding[] {
  const { backed, failure } = readBackupStatus(home.backupStatus);
  if (failure !== null)
    return findingIf(
      true,
      `the backup of ${failure.at} failed: ${failure.problem}`,
      "solve that, and run `presence-backup`",
    );
  return findingIf(
    isOlder(backed?.as_of, now, BACKUP_LATE_MS),
    backed === null ? "nothing is backed up yet" : `the last backup is as of ${backed.as_of}`,
    `run \`presence-backup\`, and check that its timer runs (${TIMERS})`,
  );
}

/** After an erasure that the backup did not answer in time. */
function findUnpublishable({ home, config }: CheckContext): Finding[] {
  const directory = currentRelease(home);
  const treeSize = directory === undefined ? 0 : treeSizeOf(directory);
  return findingIf(
    treeSize > 0 && !isBackedUp({ config }, treeSize),
    `the published ledger of ${treeSize} rows is not backed up with its keys: a lost machine would end the log`,
    "run `presence-backup`",
  );
}

function findUnchecked({ home, now }: CheckContext): Finding[] {
  const { objects, restored, pruned } = readBackupStatus(home.backupStatus);
  const timers = `and check that its timer runs (${TIMERS})`;
  return [
    ...findingIf(
      isOlder(objects?.at, now, UPKEEP_LATE_MS),
      `the objects of the backups were last checked at ${objects?.at ?? "no time"}`,
      `run \`presence-backup check\`, ${timers}`,
    ),
    ...findingIf(
      isOlder(restored?.at, now, CHECK_LATE_MS),
      `the last whole restore of a backup was tried at ${restored?.at ?? "no time"}`,
      `run \`presence-backup prove\`, ${timers}`,
    ),
    ...[objects?.problem, restored?.problem].flatMap((problem) =>
      findingIf(
        typeof problem === "string",
        `the backups are not sound: ${problem}`,
        "make them anew in another place (`presence-backup init`, `presence-backup`), keep the old ones, and check again",
      ),
    ),
    ...findingIf(
      isOlder(pruned ?? undefined, now, UPKEEP_LATE_MS),
      `old backups were last removed at ${pruned ?? "no time"}: what was erased stays in them`,
      `run \`presence-backup check\` and \`presence-backup prune\`, ${timers}`,
    ),
  ];
}

/** Whether a time is longer ago than that, or there is none. */
function isOlder(time: string | undefined, now: number, ms: number): boolean {
  return time === undefined || now - Date.parse(time) > ms;
}
