import type { RecordFacts } from "../../method/types.ts";
import type { CarriedCity } from "./carried-city.ts";

/** Scores that a patch release carries over, by record row. A record that had been merged before the erasure has none. */
export function carriedScores(
  records: readonly Pick<RecordFacts, "id" | "publicId">[],
  { cohort, records: carried }: CarriedCity,
) {
  const known = records.flatMap(({ id, publicId }) => {
    const values = carried[publicId];
    return values === undefined ? [] : [[id, values] as const];
  });
  return {
    cohort,
    standings: new Map(known.map(([id, { standing }]) => [id, standing])),
    histories: new Map(known.map(([id, { history }]) => [id, history])),
  };
}
