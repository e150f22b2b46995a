/** The release itself and its seals. Times are ms since the epoch. */
import type { EmailDelivery } from "../../contract/accounts/delivery.ts";
import type { Environment } from "../../contract/enums.ts";
import { boolean, integer, json, table, text } from "../../kernel/table.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";

export const release = table("release", {
  public: {
    releaseId: text().primaryKey(), // UUID made from the release's inputs
    asOf: integer(),
    treeSize: integer(), // of the nightly release, even in a patch release: what the documents state
    signedTreeSize: integer(), // of the newest checkpoint that the release publishes
    mends: json<{
      readonly releaseId: string;
      readonly lastSealedRow: number; // of the nightly release
    }>().nullable(), // the release that this one mends; null in a nightly release
    environment: text<Environment>(),
    origin: text(),
    baseUrl: text(),
    sourceRevision: text(),
    latestLiveRow: integer(), // ledger head when the release was built
    latestLiveAt: integer().nullable(),
    pendingLines: integer(), // accepted lines without a row when the release was built
    lastSealedRow: integer(),
    lastSealAt: integer().nullable(),
    externalTimestamping: boolean(),
    securityContact: text().nullable(), // mailto: or https: address
    // SHA-256 (hex) of inputs; null where nothing was measured or given.
    referenceHash: text().named("reference_sha256"), // industries and city catalog
    activityHash: text().named("activity_sha256").nullable(),
    demandHash: text().named("demand_sha256").nullable(),
    operatorName: text().nullable(),
    operatorTextsHash: text().named("operator_texts_sha256").nullable(),
    incidentsHash: text().named("incidents_sha256").nullable(),
    reportsHash: text().named("reports_sha256").nullable(),
    emailDelivery: text<EmailDelivery>(), // as the operator had it set up when the release was built
    webhooksDelivered: boolean(),
  },
});

export const seals = table("seals", {
  public: {
    row: integer().primaryKey(),
    manifest: json<SealBody>(),
    treeSize: integer(), // of the smallest signed tree that holds the seal
    externalProof: json<{
      readonly provider: string | null;
      readonly status: string;
      readonly proofSha256: string | null;
      readonly verifiedAt: number | null;
    }>(),
  },
});
