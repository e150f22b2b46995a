import type { Database } from "better-sqlite3";
import type { VerificationState } from "../../contract/enums.ts";
import { integer, type Selected, selection, text } from "../../kernel/table.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { records } from "../tables/records.ts";

const { city, isSynthetic, lastObserved } = records.columns;

/** Listed records of one city that are equally old, counted; merged records count with those they went into. */
const RECORD_TALLY = selection({
  city, // slug
  isSynthetic,
  /** Whole days from the last observation to the release; null for records without one. */
  ageDays: lastObserved.as(`((SELECT as_of FROM release) - last_observed) / ${DAY_MS}`),
  records: integer().as("count(*)"),
  observations: integer().as("sum(observation_count)"), // without rejected rows
  assets: integer().as("sum(asset_count)"),
  lastObserved: lastObserved.as("max(last_observed)"), // the latest, ms
});
export type RecordTally = Selected<typeof RECORD_TALLY>;

/** Listed observations in one state of verification, counted. */
const STATE_TALLY = selection({
  state: text<VerificationState>().as("tally.value ->> 'value'"),
  observations: integer().as("sum(tally.value ->> 'count')"),
});

/** These read all records: for what is made once a release. */
export function tallyQueries(db: Database) {
  return {
    /** Every listed record in exactly one tally. */
    recordTallies: RECORD_TALLY.prepare(
      db,
      "FROM records WHERE merged_into IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    ).all,
    /** By the name of the state; a state that no observation has is left out. */
    stateTallies: STATE_TALLY.prepare(
      db,
      "FROM records, json_each(evidence_mix, '$.verification') tally GROUP BY 1 ORDER BY 1",
    ).all,
  };
}
