import { z } from "zod";

/** Kinds of values that keep their value between an erasure and the next nightly release. */
export const CARRIED_VALUES = ["scores", "ranks", "coverage"] as const;

const NOTE =
  "Something was erased here since the last nightly release. Lists and their counts are without it. Scores, ranks and coverage keep their values until the next nightly release.";

export const CarriedOver = z
  .looseObject({
    tree_size: z.int().positive().describe("Size of the signed tree that holds the erasure."),
    values: z.array(z.enum(CARRIED_VALUES)),
    note: z.string(),
  })
  .meta({
    id: "CarriedOver",
    description: "Values of a city that are from before an erasure. Absent after the next nightly release.",
  });
export type CarriedOver = z.infer<typeof CarriedOver>;

export function carriedOver(treeSize: number): CarriedOver {
  return { tree_size: treeSize, values: [...CARRIED_VALUES], note: NOTE };
}
