import { z } from "zod";

/** A figure as a number. Absent where nothing was measured, and in the lines of commits that printed texts alone. */
const Measured = z.object({
  value: z.number(),
  unit: z.string(),
  better: z.enum(["more", "less"]),
});
export type Measured = z.infer<typeof Measured>;

/** A line of the bench's table: a figure and its limit, both measured in the same run. */
export const BenchLine = z.object({
  name: z.string(),
  figure: z.string(),
  limit: z.string(),
  ratio: z.string(),
  measured: Measured.optional(),
});
export type BenchLine = Readonly<z.infer<typeof BenchLine>>;

/** A line without a figure, because the machine lacks something. */
export function notMeasured(name: string, reason: string): BenchLine {
  return { name, figure: "not measured", limit: reason, ratio: "-" };
}
