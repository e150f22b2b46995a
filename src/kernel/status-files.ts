import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "./errors.ts";
import { replaceFile } from "./files/durable-file.ts";

/** The status of a night: one file, replaced after each step, for the next night, the doctor and the metrics. */

const StepRecord = z.object({
  name: z.string(),
  outcome: z.enum(["running", "done", "held", "skipped", "failed"]),
  seconds: z.number().nullable(),
  /** Counts, ids, or the reason of a failure. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type StepRecord = z.infer<typeof StepRecord>;

export const NightlyStatus = z.object({
  state: z.enum(["running", "done", "held", "failed", "degraded"]),
  exit_code: z.int().nullable(), // null while it runs
  pid: z.int(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  steps: z.array(StepRecord),
});
export type NightlyStatus = z.infer<typeof NightlyStatus>;

/** Begins a fact of the seal: how many days a source, whose id follows, has sent nothing. */
export const SILENT_DAYS = "no_intake_days_";

const MODE = 0o644;

export function writeNightlyStatus(path: string, status: NightlyStatus): void {
  replaceFile(path, `${JSON.stringify(status, null, 2)}\n`, MODE);
}

/** Undefined before the first night, and for a malformed file, which the next night replaces. */
export function readNightlyStatus(path: string): NightlyStatus | undefined {
  return NightlyStatus.safeParse(parsedFile(path)).data;
}

/**
 * What the backups off the machine hold, as far as this machine knows. The command of BACKUP_HOOK writes it (deploy/backup), and the gate
 * before a release, erasures, the doctor and the metrics read it. docs/operations/backup.md lists its members.
 */

const Backed = z.object({
  as_of: z.iso.datetime(), // what was acknowledged by then is in it
  tree_size: z.int(),
  keys: z.record(z.string(), z.string()), // SHA-256 of each key file by its name, without the heads beside them
});

const Problem = z.object({ at: z.iso.datetime(), problem: z.string() });
const Checked = Problem.extend({ problem: z.string().nullable() });

const BackupStatus = z.object({
  backed: Backed.nullable().default(null),
  failure: Problem.nullable().default(null), // of the last run; null when it worked
  objects: Checked.nullable().default(null), // the last check of names, sizes and hashes
  restored: Checked.nullable().default(null), // the last whole restore, proved
  pruned: z.iso.datetime().nullable().default(null),
  kept_days: z.int().nullable().default(null),
});
export type BackupStatus = z.infer<typeof BackupStatus>;

/** Nothing for a file that is missing or malformed. */
export function readBackupStatus(path: string): BackupStatus {
  return BackupStatus.safeParse(parsedFile(path)).data ?? BackupStatus.parse({});
}

/** Undefined for a file that is missing or malformed. */
function parsedFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
