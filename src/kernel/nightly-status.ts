import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "./errors.ts";
import { replaceFile } from "./files/durable-file.ts";

/** How a night went: one file that is replaced after each step, for the night that follows, the doctor and the metrics. */

const Time = z.iso.datetime();
const StepRecord = z.object({
  name: z.string(),
  outcome: z.enum(["running", "done", "skipped", "failed"]),
  seconds: z.number().nullable(),
  /** What the step has to say: counts, ids, the reason of a failure. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type StepRecord = z.infer<typeof StepRecord>;

export const NightlyStatus = z.object({
  state: z.enum(["running", "done", "failed", "degraded"]),
  exit_code: z.int().nullable(), // null while it runs
  pid: z.int(),
  started_at: Time,
  finished_at: Time.nullable(),
  steps: z.array(StepRecord),
});
export type NightlyStatus = z.infer<typeof NightlyStatus>;

const MODE = 0o644;

export function writeNightlyStatus(path: string, status: NightlyStatus): void {
  replaceFile(path, `${JSON.stringify(status, null, 2)}\n`, MODE);
}

/** Undefined before the first night, and for a file that makes no sense: the next night writes it anew. */
export function readNightlyStatus(path: string): NightlyStatus | undefined {
  try {
    return NightlyStatus.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
