import type { Database } from "better-sqlite3";
import { z } from "zod";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { PARAMETERS } from "../../method/parameters.ts";
import { type Candidate, drawSample, SAMPLE_REASONS, sampleResult } from "../../method/review-sample.ts";
import { inserter } from "../write/inserter.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import type { Listing } from "./listing.ts";

const Count = z.int().nonnegative();

const Sample = z.object({
  rows: z.array(z.int().positive()),
  reviewed: Count,
  correct: Count,
  undecided: Count,
  precision: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});

/** The random samples of a release's observations and what the review desk found in them; nothing in it is private. */
const Samples = z.object({
  from: z.int(), // ms: observations published since are drawn from
  reading: Sample, // of those that a model read
  matching: Sample, // of all
  /** Reviews of the window that a report led to: ledger rows. */
  reported: z.array(z.int().positive()),
});
export type Samples = z.infer<typeof Samples>;

/** Draws the samples of the release as of `asOf` (ms), and stores what their reviews came to. */
export function writeSamples(db: Database, fold: LedgerFold, listing: Listing, asOf: number): void {
  const { windowDays, size } = PARAMETERS.samples;
  const { misread, mismatched, reported } = SAMPLE_REASONS;
  const from = asOf - windowDays * DAY_MS;
  const listed = listedRows(fold, listing);
  const drawn = (filter: (row: number) => boolean) =>
    drawSample(
      candidates(fold, from, (row) => listed[row] === 1 && filter(row)),
      size,
    );
  const isRead = (row: number) => fold.sightings.details(row).recognitionModelVersion !== null;
  const samples = {
    from,
    reading: sampleResult(drawn(isRead), fold.verdicts, misread),
    matching: {
      ...sampleResult(
        drawn(() => true),
        fold.verdicts,
        mismatched,
      ),
    },
    reported: [...fold.reasons]
      .filter(([row, reason]) => reason === reported && fold.sightings.publishedAt(row) >= from)
      .map(([row]) => row),
  };
  inserter(db, "samples")([canonicalJson(Samples.parse(samples))]);
}

/** A byte a row: 1 for what the release lists. */
function listedRows(fold: LedgerFold, { cities }: Listing): Uint8Array {
  const listed = new Uint8Array((fold.seals.at(-1)?.row ?? 0) + 1);
  for (const { records } of cities) for (const { rows } of records) for (const row of rows) listed[row] = 1;
  return listed;
}

function* candidates(
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

export interface SampleQueries {
  samples(): Samples;
}

export function sampleQueries(db: Database): SampleQueries {
  const stored = db.prepare<[], string>("SELECT report FROM samples").pluck();
  return { samples: () => Samples.parse(JSON.parse(stored.get() ?? "null")) };
}
