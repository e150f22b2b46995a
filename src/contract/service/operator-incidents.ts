import { z } from "zod";
import { Timestamp } from "../fields.ts";

export const MAX_INCIDENTS = 50;
const TITLE_LENGTH = 120;
const TEXT_LENGTH = 2000;

/** One incident in the operator's incidents file: plain text, times in UTC. */
export const OperatorIncident = z
  .strictObject({
    started: Timestamp,
    resolved: Timestamp.nullable().default(null),
    title: z.string().trim().min(1).max(TITLE_LENGTH),
    text: z.string().trim().min(1).max(TEXT_LENGTH),
  })
  .refine(({ started, resolved }) => resolved === null || Date.parse(resolved) >= Date.parse(started), {
    path: ["resolved"],
    error: "is before `started`",
  });
export type OperatorIncident = z.infer<typeof OperatorIncident>;

/** Contents of the incidents file. The operator removes old entries. */
export const OperatorIncidents = z
  .array(OperatorIncident)
  .max(MAX_INCIDENTS)
  .refine((all) => new Set(all.map(({ started, title }) => `${started} ${title}`)).size === all.length, {
    error: "two incidents have the same `started` and `title`",
  });
