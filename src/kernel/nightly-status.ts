/** The status of a night: one file, replaced after each step, for the next night, the doctor and the metrics. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "./errors.ts";
import { replaceFile } from "./files/durable-file.ts";

const Time = z.iso.datetime();
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
  started_at: Time,
  finished_at: Time.nullable(),
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
  try {
    return NightlyStatus.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
