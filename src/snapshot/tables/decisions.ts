/** Decisions with their ledger rows: citations of earlier releases are computed again from these. */
import { boolean, integer, json, table, text } from "../../kernel/table.ts";
import type { CityBody, ReviewBody } from "../../ledger/rows/rows.ts";

export const verdicts = table("verdicts", {
  public: {
    target: integer(), // observation
    row: integer(),
    decision: text<"verify" | "reject">(),
  },
  primaryKey: ["target", "row"],
});

/** Later changes of what counts. */
export const recounts = table("recounts", {
  public: {
    row: integer().primaryKey(),
    target: integer(), // observation
    counts: boolean(),
  },
  indexes: ["CREATE INDEX recounts_target ON recounts (target, row);"],
});

/** Which rows of the ledger changed what a release shows of something older than they are. */
export const changes = table("changes", {
  public: {
    row: integer(),
    target: integer(), // observation, asset, record or city
    change: text<Change>(),
  },
  primaryKey: ["row", "target"],
});

/** `recount` and `naming`: rules found them in later lines. All others are decisions: a reviewer's, or an operator's. */
export type Change = ReviewBody["decision"] | CityBody["step"] | DecidedChange | "recount" | "naming";
type DecidedChange = "batch_undone" | "named" | "reassign" | "identity" | "status";

/** The names of records that have been named more than once, by the row that gave them. */
export const earlierNames = table("earlier_names", {
  public: { row: integer().primaryKey(), record: integer(), name: text() },
  indexes: ["CREATE INDEX earlier_names_record ON earlier_names (record, row);"],
});

export const merges = table("merges", {
  public: {
    row: integer().primaryKey(),
    record: integer(),
    into: integer().named("stays"),
    tags: json<Readonly<Record<string, string>>>(), // observer tags of the record -> those of the one that stays
  },
  indexes: ["CREATE INDEX merges_record ON merges (record);", "CREATE INDEX merges_stays ON merges (stays);"],
});

/** Observations that reviewers moved to another record or asset. */
export const reassigns = table("reassigns", {
  public: {
    row: integer().primaryKey(),
    target: integer(), // observation
    from: integer().named("came_from"), // the record that had it before
    record: integer(),
    asset: integer(),
    observerTag: text(), // at that record
  },
  indexes: [
    "CREATE INDEX reassigns_target ON reassigns (target, row);",
    "CREATE INDEX reassigns_record ON reassigns (record);",
    "CREATE INDEX reassigns_came_from ON reassigns (came_from);",
  ],
});

/**
 * Observations as they stand in the ledger, where a release shows them otherwise: for another record or asset, with another tag, or
 * counted otherwise.
 */
export const writtenObservations = table("written_observations", {
  public: {
    row: integer().primaryKey(),
    record: integer(),
    asset: integer(),
    observerTag: text(),
    counts: boolean(),
  },
});

/** Rows that are erased, and those that left the public with an undone batch. */
export const erasures = table("erasures", {
  public: {
    row: integer().primaryKey(),
    erasedBy: integer(), // the row that names the erased one, or withdrew it
  },
  // The order of the list of withdrawals, whose pages are ranges of it.
  indexes: ["CREATE INDEX erasures_erased_by ON erasures (erased_by, row);"],
});
