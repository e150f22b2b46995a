/** What the backups off the machine hold, as far as this machine knows: for the gate before a release, the doctor and the metrics. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "./errors.ts";
import { replaceFile } from "./files/durable-file.ts";
import type { Home } from "./home.ts";

const Time = z.iso.datetime();

/** Texts that change when what they stand for does. */
const Marks = z.object({
  repositories: z.string(), // a backup in another place is none of this one
  keys: z.string(), // without the heads beside them
  ledger: z.string(), // with what else only the home has
  state: z.string(),
});
export type Marks = z.infer<typeof Marks>;

const Backed = z.object({
  as_of: Time, // what was acknowledged by then is in it
  tree_size: z.int(),
  marks: Marks,
});
export type Backed = z.infer<typeof Backed>;

const Checked = z.object({ at: Time, problem: z.string().nullable() });

/** The end of a whole check, also as the signed report of another machine. */
export const RestoreCheck = Checked.extend({
  backup_of: Time.nullable(), // when the restored ledger was backed up
  tree_size: z.int().nullable(),
  replayed_numbers: z.int().nullable(), // null: there was no release to replay
});
export type RestoreCheck = z.infer<typeof RestoreCheck>;

const BackupStatus = z.object({
  backed: Backed.nullable(),
  failure: z.object({ at: Time, problem: z.string() }).nullable(), // of the last run; null when it worked
  objects: Checked.nullable(), // the last check of names, sizes and hashes
  restored: RestoreCheck.nullable(), // the last whole check, wherever it was made
  pruned: Time.nullable(),
});
export type BackupStatus = z.infer<typeof BackupStatus>;

const NOTHING: BackupStatus = { backed: null, failure: null, objects: null, restored: null, pruned: null };
const MODE = 0o644;

/** Nothing for a file that is missing or malformed: then the next backup is a whole one. */
export function readBackupStatus(path: string): BackupStatus {
  try {
    return BackupStatus.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? NOTHING;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError) return NOTHING;
    throw error;
  }
}

/** Replaces parts of the status. */
export function noteBackup({ backupStatus }: Pick<Home, "backupStatus">, news: Partial<BackupStatus>): void {
  const text = JSON.stringify({ ...readBackupStatus(backupStatus), ...news }, null, 2);
  replaceFile(backupStatus, `${text}\n`, MODE);
}
