/**
 * What the backups off the machine hold, as far as this machine knows. The command of BACKUP_HOOK writes it (deploy/backup), and the gate
 * before a release, erasures, the doctor and the metrics read it. docs/operations/backup.md lists its members.
 */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "./errors.ts";

const Time = z.iso.datetime();

const Backed = z.object({
  as_of: Time, // what was acknowledged by then is in it
  tree_size: z.int(),
  keys: z.record(z.string(), z.string()), // SHA-256 of each key file by its name, without the heads beside them
});

const Problem = z.object({ at: Time, problem: z.string() });
const Checked = Problem.extend({ problem: z.string().nullable() });

const BackupStatus = z.object({
  backed: Backed.nullable().default(null),
  failure: Problem.nullable().default(null), // of the last run; null when it worked
  objects: Checked.nullable().default(null), // the last check of names, sizes and hashes
  restored: Checked.nullable().default(null), // the last whole restore, proved
  pruned: Time.nullable().default(null),
  kept_days: z.int().nullable().default(null),
});
export type BackupStatus = z.infer<typeof BackupStatus>;

/** Nothing for a file that is missing or malformed. */
export function readBackupStatus(path: string): BackupStatus {
  return BackupStatus.safeParse(parsedFile(path)).data ?? BackupStatus.parse({});
}

function parsedFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
