import type { Database, Statement } from "better-sqlite3";
import type { EmailDelivery } from "../../contract/accounts/delivery.ts";
import type {
  AssetType,
  Environment,
  IndustryLevel,
  SourceState,
  SourceType,
  Vetting,
} from "../../contract/enums.ts";
import {
  boolean,
  integer,
  json,
  real,
  type SqlValue,
  storedInserter,
  type Table,
  table,
  text,
} from "../../kernel/table.ts";
import type { SealBody, TallyBody } from "../../ledger/rows/rows.ts";

/** The release itself and its seals. Times are ms since the epoch. */

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
    siteName: text().nullable(),
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

/** Reference data: the taxonomy of industries and the catalog of cities. Searches compare `folded`. */

/** UN ISIC Revision 5, in its own order. */
export const industries = table("industries", {
  public: {
    seq: integer().primaryKey(),
    code: text().unique(),
    title: text(),
    level: text<IndustryLevel>(),
    sectionCode: text(),
    sectionTitle: text(),
    folded: text(),
  },
});

/** Cities, whether or not the service observes them, the most populous first. */
export const gazetteer = table("gazetteer", {
  public: {
    seq: integer().primaryKey(),
    geonameId: integer(),
    name: text(),
    asciiName: text(),
    region: text(),
    regionCode: text(),
    countryCode: text(),
    countryName: text(),
    population: integer(),
    lat: real(),
    lng: real(),
    folded: text(),
  },
});

/** Registered sources, and what checks set aside by month, as rows of the ledger say. */

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

/** More than that saves nothing. */
const BATCH_ROWS = 100;

/** Inserts a hundred rows by one statement, in 40 % of the time. Rows are values as they are stored, in the order of the columns. */
export class BatchInserter {
  readonly #width: number;
  readonly #insertBatch: Statement<[SqlValue[]]>;
  readonly #insertRow: (row: readonly SqlValue[]) => void;
  #values: SqlValue[] = [];

  constructor(db: Database, { name, names }: Pick<Table, "name" | "names">) {
    const row = `(${names.map(() => "?").join(", ")})`;
    const rows = Array.from({ length: BATCH_ROWS }, () => row).join(", ");
    this.#width = names.length;
    this.#insertBatch = db.prepare<[SqlValue[]]>(`INSERT INTO ${name} (${names.join(", ")}) VALUES ${rows}`);
    this.#insertRow = storedInserter(db, { name, names });
  }

  add(...row: SqlValue[]): void {
    this.#values.push(...row);
    if (this.#values.length < BATCH_ROWS * this.#width) return;
    this.#insertBatch.run(this.#values);
    this.#values = [];
  }

  /** Inserts the rows that are left. */
  flush(): void {
    for (let at = 0; at < this.#values.length; at += this.#width)
      this.#insertRow(this.#values.slice(at, at + this.#width));
    this.#values = [];
  }
}
