import { z } from "zod";
import { DeliverySetup, NO_DELIVERY } from "../contract/accounts/delivery.ts";
import { OperatorIncidents, OperatorTexts, ReportCounts } from "../contract/service/status.ts";
import { ActivityInput } from "./activity.ts";
import { DemandInput } from "./demand.ts";
import { incidentsHash } from "./incidents.ts";
import { operatorTextsHash } from "./operator-texts.ts";
import type { ReleaseRow } from "./rows.ts";

/** What the operator sets and a release publishes: a new release is due when any of it changes. */
export const OperatorSettings = z.object({
  baseUrl: z.string(),
  externalTimestamping: z.boolean().default(false), // a timestamp authority is configured
  securityContact: z.string().nullable().default(null), // mailto: or https: address
  operatorName: z.string().nullable().default(null),
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
