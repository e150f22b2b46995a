/** Registered sources, and what checks set aside by month, as rows of the ledger say. */
import type { AssetType, SourceState, SourceType, Vetting } from "../../contract/enums.ts";
import { integer, json, table, text } from "../../kernel/table.ts";
import type { TallyBody } from "../../ledger/rows/rows.ts";

export const sources = table("sources", {
  public: {
    row: integer().primaryKey(), // that registered it
    id: text(), // slug
    kind: text<SourceType>(),
    vetting: text<Vetting>(),
    name: text().nullable(), // null: the operator keeps it private
    operator: text().nullable(), // likewise
    licence: text(),
    consent: text(),
    assetTypes: json<readonly AssetType[]>(),
    state: text<SourceState>(),
    lastIntake: integer().nullable(), // last UTC day of acceptance, ms; null where no row names it
  },
});

/** How many of a random sample of set-aside observations reviewers judged, and found to be false alarms. */
export interface FalseAlarms {
  readonly reviewed: number;
  readonly falseAlarms: number;
  readonly rate: number | null; // null for too few reviews
  readonly interval: { readonly low: number; readonly high: number } | null;
}

export const tallies = table("tallies", {
  public: {
    month: text().primaryKey(), // 2026-11
    checks: json<TallyBody["checks"]>(),
    sample: json<FalseAlarms>(), // of the month
    sampleSoFar: json<FalseAlarms>(), // of this month and all before it
    vouched: json<TallyBody["vouched"]>(),
  },
});
