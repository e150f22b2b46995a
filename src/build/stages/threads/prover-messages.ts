import { z } from "zod";
import { ProvedRange, ScoutRange } from "../../../ledger/proved-ranges.ts";

/** Messages between the thread that folds rows and those that prove them. They load little, and so do these threads. */

export const ProverTask = z.object({ ledgerPath: z.string(), treeSize: z.int() });

/** Work for a thread; `end`: there is no more. */
export const RangeUnit = z.union([
  z.literal("end"),
  z.object({
    unit: z.int(),
    what: z.enum(["rows", "scouts", "trusted scouts"]),
    after: z.int(),
    upTo: z.int(),
  }),
]);
export type RangeUnit = z.infer<typeof RangeUnit>;

/** A thread's report on a unit, which also asks for another one. The first reports are of no unit. */
export const RangeReport = z.object({
  unit: z.int().optional(),
  rows: ProvedRange.optional(),
  scouts: ScoutRange.optional(),
});
export type RangeReport = z.infer<typeof RangeReport>;
