import type { Database } from "better-sqlite3";
import { DAY_MS } from "../kernel/time.ts";

/** Listed records of one city that are equally old, counted; merged records count with those they went into. */
export interface RecordTally {
  readonly city: string; // slug
  readonly isSynthetic: boolean;
  /** Whole days from the last observation to the release; null for records without one. */
  readonly ageDays: number | null;
  readonly records: number;
  readonly observations: number; // listed rows, rejected ones included
  readonly assets: number;
  readonly lastObserved: number | null; // the latest, ms
}

export interface TallyQueries {
  /** Every listed record in exactly one tally. Reads all records: for what is made once a release. */
  recordTallies(): RecordTally[];
}

interface StoredTally extends Omit<RecordTally, "isSynthetic"> {
  readonly isSynthetic: number;
}

export function tallyQueries(db: Database): TallyQueries {
  const tallies = db.prepare<[], StoredTally>(
    `SELECT city, is_synthetic AS isSynthetic, ((SELECT as_of FROM release) - last_observed) / ${DAY_MS} AS ageDays,
       count(*) AS records, sum(observation_count) AS observations, sum(asset_count) AS assets,
       max(last_observed) AS lastObserved
     FROM records WHERE merged_into IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return {
    recordTallies: () => tallies.all().map((tally) => ({ ...tally, isSynthetic: tally.isSynthetic === 1 })),
  };
}
