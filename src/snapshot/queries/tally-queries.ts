import type { Database } from "better-sqlite3";
import type { VerificationState } from "../../contract/enums.ts";
import { DAY_MS } from "../../kernel/time.ts";

/** Listed records of one city that are equally old, counted; merged records count with those they went into. */
export interface RecordTally {
  readonly city: string; // slug
  readonly isSynthetic: boolean;
  /** Whole days from the last observation to the release; null for records without one. */
  readonly ageDays: number | null;
  readonly records: number;
  readonly observations: number; // without rejected rows
  readonly assets: number;
  readonly lastObserved: number | null; // the latest, ms
}

/** Listed observations in one state of verification, counted. */
export interface StateTally {
  readonly state: VerificationState;
  readonly observations: number;
}

/** These read all records, or all observations: for what is made once a release. */
export interface TallyQueries {
  /** Every listed record in exactly one tally. */
  recordTallies(): RecordTally[];
  /** By the name of the state; a state that no observation has is not in it. */
  stateTallies(): StateTally[];
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
  const states = db.prepare<[], StateTally>(
    "SELECT state, count(*) AS observations FROM observations GROUP BY state ORDER BY state",
  );
  return {
    stateTallies: () => states.all(),
    recordTallies: () => tallies.all().map((tally) => ({ ...tally, isSynthetic: tally.isSynthetic === 1 })),
  };
}
