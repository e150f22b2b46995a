import type { Database } from "better-sqlite3";
import type { VerificationState } from "../../contract/enums.ts";
import { integer, type Selected, selection, text, values } from "../../kernel/table.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { type ReleaseRow, SEAL } from "../rows.ts";
import { changes, erasures } from "../tables/decisions.ts";
import { records } from "../tables/records.ts";
import { release, sources, tallies } from "../tables/release.ts";

export function releaseQueries(db: Database) {
  const stored = selection(release.columns).prepare(db, "FROM release").get();
  if (stored === undefined) throw new Error("snapshot without a release row");
  const { emailDelivery: email, webhooksDelivered: webhooks, ...row } = stored;
  const releaseRow: ReleaseRow = { ...row, delivery: { email, webhooks } };
  return {
    release: () => releaseRow,
    /** Seals that the release's tree covers, newest first. */
    seals: SEAL.prepare(db, "FROM seals ORDER BY row DESC").all,
  };
}

export function independenceQueries(db: Database) {
  return {
    /** Registered sources in the order of registration. */
    sources: selection(sources.columns).prepare(db, "FROM sources ORDER BY row").all,
    /** What checks set aside, the newest month first. */
    tallies: selection(tallies.columns).prepare(db, "FROM tallies ORDER BY month DESC").all,
  };
}

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

const WITHDRAWAL = selection(erasures.columns);

const CHANGE = selection(changes.columns);

export function withdrawalQueries(db: Database) {
  const count = values<[], number>(db, "SELECT count(*) FROM erasures");
  return {
    /** Erased rows after a position, in the order of the rows that erased them. */
    withdrawals: WITHDRAWAL.prepare<[erasedBy: number, row: number, limit: number]>(
      db,
      "FROM erasures WHERE (erased_by, row) > (?, ?) ORDER BY erased_by, row LIMIT ?",
    ).all,
    /** Rows that changed what others say, in their order. */
    changes: CHANGE.prepare(db, "FROM changes ORDER BY row, target").all,
    withdrawalCount: () => count.get() ?? 0,
  };
}
