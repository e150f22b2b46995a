import type { Database } from "better-sqlite3";
import { z } from "zod";
import { DeliverySetup, NO_DELIVERY } from "../contract/accounts/delivery.ts";
import {
  OperatorIncidents,
  type OperatorTextName,
  OperatorTexts,
  ReportCounts,
} from "../contract/service/status.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { inserter, table, text, values } from "../kernel/table.ts";
import { canonicalJson } from "../kernel/text/json.ts";
import { ActivityInput } from "./activity.ts";
import { DemandInput, incidentsHash } from "./demand.ts";
import type { ReleaseRow } from "./rows.ts";

/** What the operator sets and a release publishes: a new release is due when any of it changes. */
export const OperatorSettings = z.object({
  baseUrl: z.string(),
  externalTimestamping: z.boolean().default(false), // a timestamp authority is configured
  securityContact: z.string().nullable().default(null), // mailto: or https: address
  operatorName: z.string().nullable().default(null),
  siteName: z.string().nullable().default(null), // null: the service has the name that stands in the program
  operatorTexts: OperatorTexts.default({}),
  incidents: OperatorIncidents.default([]),
  delivery: DeliverySetup.default(NO_DELIVERY),
});
export type OperatorSettings = z.output<typeof OperatorSettings>;

/**
 * Everything that a release is made from besides the ledger and the reference data: the operator's settings, and what the state counted. Plain data,
 * because it crosses threads. An absent count was not measured.
 */
export const ReleaseSettings = OperatorSettings.extend({
  sourceRevision: z.string(),
  activity: ActivityInput.optional(),
  demand: DemandInput.optional(),
  reportCounts: ReportCounts.optional(),
});
export type ReleaseSettings = z.output<typeof ReleaseSettings>;

/** The operator's settings as the release row holds them: texts and incidents as their hashes. */
export function releaseColumns({ operatorTexts, incidents, ...plain }: OperatorSettings) {
  return {
    ...plain,
    operatorTextsHash: operatorTextsHash(operatorTexts),
    incidentsHash: incidentsHash(incidents),
  } satisfies Partial<ReleaseRow>;
}

export const operatorTexts = table("operator_texts", {
  public: { name: text().primaryKey(), markdown: text() },
});

/** SHA-256 (hex) of all texts; null without texts. They are an input of the release like the ledger. */
export function operatorTextsHash(texts: OperatorTexts): string | null {
  return Object.keys(texts).length === 0 ? null : sha256Hex(canonicalJson(texts));
}

/** Stores the texts and returns their hash. */
export function writeOperatorTexts(db: Database, texts: OperatorTexts): string | null {
  const insert = inserter(db, operatorTexts);
  for (const [name, markdown] of Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))
    insert({ name, markdown });
  return operatorTextsHash(texts);
}

export function operatorTextQueries(db: Database) {
  /** Markdown; undefined when the operator has no text of that name. */
  return {
    operatorText: values<[name: OperatorTextName], string>(
      db,
      "SELECT markdown FROM operator_texts WHERE name = ?",
    ).get,
  };
}
