import type { Database } from "better-sqlite3";
import { z } from "zod";
import { DAY_MS } from "../../kernel/time.ts";
import { PARAMETERS } from "../../method/numbers.ts";
import { type Candidate, drawSamples, SAMPLE_REASONS, sampleResult } from "../../method/review-sample.ts";
import { reportReader, reportTable, writeReport } from "../demand.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import type { Listing } from "./listing.ts";

const Count = z.int().nonnegative();

const Sample = z.object({
  rows: z.array(z.int().positive()).readonly(),
  reviewed: Count,
  correct: Count,
  undecided: Count,
  precision: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});

/** Random samples of a release's observations with the results of their review; all of it is public. */
const Samples = z.object({
  from: z.int(), // ms: start of the sampled publications
  reading: Sample, // of observations read by a model
  matching: Sample, // of all observations
  /** Ledger rows of the window's reviews that followed a report. */
  reported: z.array(z.int().positive()),
});
export type Samples = z.infer<typeof Samples>;

export const samples = reportTable("samples", Samples);

/** Draws the samples of the release as of `asOf` (ms) and stores the results of their reviews. */
export function writeSamples(db: Database, fold: LedgerFold, listing: Listing, asOf: number): void {
  const { windowDays, size } = PARAMETERS.samples;
  const { misread, mismatched, reported } = SAMPLE_REASONS;
  const from = asOf - windowDays * DAY_MS;
  const listed = listedRows(fold, listing);
  const isRead = (row: number) => fold.sightings.stated(row).recognition_model_version !== null;
  const candidates = candidatesSince(fold, from, (row) => listed[row] === 1);
  const [reading = [], matching = []] = drawSamples(candidates, size, [isRead, () => true]);
  writeReport(db, samples, {
    from,
    reading: sampleResult(reading, fold.verdicts, misread),
    matching: sampleResult(matching, fold.verdicts, mismatched),
    reported: [...fold.reasons]
      .filter(([row, reason]) => reason === reported && fold.sightings.publishedAt(row) >= from)
      .map(([row]) => row),
  });
}

/** One byte per row: 1 for rows that the release lists. */
function listedRows(fold: LedgerFold, { cities }: Listing): Uint8Array {
  const listed = new Uint8Array((fold.seals.at(-1)?.row ?? 0) + 1);
  for (const { records } of cities) for (const { rows } of records) for (const row of rows) listed[row] = 1;
  return listed;
}

function* candidatesSince(
  fold: LedgerFold,
  from: number,
  isWanted: (row: number) => boolean,
): Generator<Candidate> {
  for (const { body } of fold.seals) {
    if (Date.parse(body.created_at) < from) continue;
    for (let row = body.first_observation_id; row <= body.last_observation_id; row += 1)
      if (isWanted(row)) yield { row, seed: body.manifest_sha256 };
  }
}

export function sampleQueries(db: Database) {
  const stored = reportReader(db, samples);
  return { samples: () => Samples.parse(stored()) };
}
