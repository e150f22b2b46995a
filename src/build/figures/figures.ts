/**
 * The figures of a release: what a later release is compared with. A file beside the site, made from the snapshot alone, in a format
 * of its own that outlives versions of the program: a line for the release, then one a city, each a pure function of that city's rows.
 */
import { z } from "zod";
import { ConfidenceLevel, CoverageTier, EntityStatus, GateStatus } from "../../contract/enums.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";

/** Raised when a figure or a digest means something else than before. Figures that are added raise nothing. */
export const FIGURES_VERSION = 1;

const Row = z.int().nonnegative();
const Digest = z.string().length(16);

export const RecordFigures = z.object({
  id: z.string(), // public
  row: Row,
  name: z.string(),
  industry: z.string().nullable(),
  status: EntityStatus,
  gate: GateStatus,
  /** For an eligible record, the last solar day on which its present evidence meets the gate's counts. */
  holds_until: z.iso.date().nullable(),
  rank: z.int().positive().nullable(),
  raw: z.number(), // score, 0..100
  assets: z.array(Row), // ledger rows, ascending
  observations: z.array(Row), // all that are listed: the first ledger row, then each one's distance from the one before
  accepted: z.int().nonnegative(), // of these
  counting: z.int().nonnegative(), // of these, those that count as independent evidence
  digests: z.object({ evidence: Digest, status: Digest, identity: Digest, score: Digest }),
});
export type RecordFigures = z.infer<typeof RecordFigures>;

export const CityFigures = z.object({
  city: z.string(), // slug
  row: Row,
  name: z.string(),
  day: z.iso.date(), // of the release, in the city's solar time
  /** Whether a patch release took over scores and coverage from before an erasure. */
  is_carried_over: z.boolean(),
  coverage: z.object({
    level: ConfidenceLevel,
    eligible_cells: z.int().nonnegative(),
    cells: z.int().nonnegative(), // of these, looked at in the last 90 days
    /** By week, oldest first: the same in every release that has the week, unless something was taken out. */
    history: z.array(z.object({ day: z.iso.date(), cells: z.int().nonnegative(), tier: CoverageTier })),
  }),
  records: z.array(RecordFigures), // by public id
});
export type CityFigures = z.infer<typeof CityFigures>;

/** The first line of a file; a line a city follows. */
export const Release = z.object({
  format: z.literal("release-figures"),
  version: z.int().positive(),
  release_id: z.string(),
  data_as_of: z.iso.datetime(),
  last_sealed_row: Row, // later rows are in no value
  methods: z.object({ score: z.string(), coverage: z.string() }),
  /** Public ids of merged records, with that of the record that stays. */
  merged: z.array(z.tuple([z.string(), z.string()])),
  /** Erased rows, each with the row that erased it. */
  withdrawn: z.array(z.tuple([Row, Row])),
  /** Rows that changed what others say: row, the row that it is about, and what it did. */
  changes: z.array(z.tuple([Row, Row, z.string()])),
});
type Release = z.infer<typeof Release>;

export type ReleaseFigures = Release & { readonly cities: readonly CityFigures[] };

export function figuresText({ cities, ...release }: ReleaseFigures): string {
  return [release, ...cities].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Throws FormatError for a text that no version of this program writes. */
export function parseFigures(text: string): ReleaseFigures {
  try {
    const [release, ...cities] = text.split("\n").filter((line) => line !== "");
    return {
      ...Release.parse(JSON.parse(release ?? "")),
      cities: cities.map((line) => CityFigures.parse(JSON.parse(line))),
    };
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError)
      throw new FormatError(`not the figures of a release: ${cause.message.slice(0, 200)}`);
    throw cause;
  }
}

export function recordsOf({ cities }: Pick<ReleaseFigures, "cities">): RecordFigures[] {
  return cities.flatMap(({ records }) => records);
}

/** Ascending numbers as the first one and the distances. */
export function distances(ascending: readonly number[]): number[] {
  return ascending.map((row, at) => row - (ascending[at - 1] ?? 0));
}

/** The ledger rows of the observations of a record. */
export function observationsOf({ observations }: Pick<RecordFigures, "observations">): number[] {
  let row = 0;
  return observations.map((distance) => (row += distance));
}
