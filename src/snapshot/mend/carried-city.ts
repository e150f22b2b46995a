import { z } from "zod";
import { GateStatus, MissingRequirement, RankingState, ScoreState } from "../../contract/enums.ts";
import { ScorePart } from "../../contract/records/entity.ts";
import type { HistoryPoint } from "../../method/record-track.ts";
import type { CityCohort, Standing } from "../../method/standing/standing.ts";
import type { RecordFacts } from "../../method/types.ts";
import type { CityCoverage } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";

/**
 * Values of a city that a patch release carries over from the release that it mends: scores, ranks and coverage hold until the
 * next nightly release. The patch release publishes them, so anyone can build its documents again.
 */

const Requirement = z.strictObject({ current: z.number(), required: z.number(), met: z.boolean() });
const PartScore = z.strictObject({ value: z.number(), weight: z.number(), points: z.number() });

const Standings: z.ZodType<Standing> = z.strictObject({
  gate: z.strictObject({
    status: GateStatus,
    observers: Requirement,
    observations: Requirement,
    days: Requirement,
    missing: z.array(MissingRequirement),
  }),
  score: z.strictObject({ raw: z.number(), parts: z.record(ScorePart, PartScore) }),
  scoreState: ScoreState,
  rankingState: RankingState,
  reason: z.string(),
  pps: z.number().nullable(),
  ppsWithoutAnyOneObserver: z.number().nullable(),
  gateHoldsWithoutAnyOneObserver: z.boolean(),
  provisionalPps: z.number(),
  percentile: z.number().nullable(),
  rank: z.int().positive().nullable(),
  cohortSize: z.int().nonnegative().nullable(),
  observers: z.number(),
  observations: z.number(),
  days: z.number(),
});

const History: z.ZodType<HistoryPoint> = z.strictObject({
  date: z.iso.date(),
  pps: z.number(),
  observation_count_30d: z.int().nonnegative(),
});

const Cohort: z.ZodType<CityCohort> = z.strictObject({
  size: z.int().nonnegative(),
  median: z.number().nullable(),
  spread: z.number().nullable(),
});

/** The wire schema of the coverage document checks the values when they are published again. */
const Coverage = z.custom<CityCoverage>(
  (value) => typeof value === "object" && value !== null && "metrics" in value && "denseGate" in value,
  "must be a city's coverage",
);

export const CarriedCity = z.strictObject({
  city: z.string(), // slug
  /** Size of the tree of the patch release that last changed the city; null: no erasure since the nightly release. */
  treeSize: z.int().positive().nullable(),
  cohort: Cohort,
  coverage: Coverage,
  events: z.array(z.string()), // ids: a patch release raises no others
  records: z.record(
    z.string(),
    z.strictObject({ standing: Standings, history: z.array(History).readonly() }),
  ), // by public id
});
export type CarriedCity = z.infer<typeof CarriedCity>;

/** The values of a city in a release. Throws RangeError for a city that the release does not have. */
export function carriedCity(snapshot: Snapshot, slug: string): CarriedCity {
  const city = snapshot.city(slug);
  if (city === undefined) throw new RangeError(`no city ${slug} in the release`);
  const records = snapshot.standingsOf(slug).map(({ publicId, ...values }) => [publicId, values] as const);
  return {
    city: slug,
    treeSize: city.carriedOverAt,
    cohort: city.cohort,
    coverage: city.coverage,
    events: snapshot.eventIdsOf(slug),
    records: Object.fromEntries(records),
  };
}

/** Path below `site/` of the values that a patch release carries over for a city. */
export function carriedCityPath(slug: string): string {
  return `carried-over/${slug}.json`;
}

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
