/** Records with their assets and observations. Times are ms since the epoch. */
import {
  type AssetStatus,
  type AssetType,
  CitySort,
  type ClaimState,
  type ConfidenceLevel,
  type EntityStatus,
  type GateStatus,
  type IdentityStatus,
  type IndustryState,
  type OnlinePresence,
  type PresenceKind,
  type RankingState,
  type RecordStatus,
  type RetiredBy,
  type SetAsideReason,
  type SignalType,
  type SourceType,
  type VerificationState,
} from "../../contract/enums.ts";
import type { RowRanges } from "../../contract/ledger/ledger.ts";
import type { StatedFacts } from "../../contract/records/observation.ts";
import { blob, boolean, integer, json, real, table, text } from "../../kernel/table.ts";
import type { IdentityBody } from "../../ledger/rows/rows.ts";
import { type CitedEvidence, NOTHING_CITED } from "../../method/citation.ts";
import type { HistoryPoint } from "../../method/record-track.ts";
import type { Standing } from "../../method/standing/standing.ts";

interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Counts over the accepted observations of a record, for the evidence packet. */
export interface EvidenceMix {
  readonly source: readonly ValueCount[];
  /** Over all listed rows: the one count that has the rejected ones. */
  readonly verification: readonly ValueCount[];
  /** By presence kind: the physical citations. */
  readonly citations: readonly ValueCount[];
  /** By reason: those that do not count as independent evidence. */
  readonly setAside: readonly ValueCount[];
  /** What a citation of the record says of these. */
  readonly cited: CitedEvidence;
}

/** The mix of a record without observations. */
export const NO_MIX: EvidenceMix = {
  source: [],
  verification: [],
  citations: [],
  setAside: [],
  cited: NOTHING_CITED,
};

/** A page of a city's index is a range of one of these, and its filters need no row of the table. */
const placeIndexes = CitySort.options.map(
  (sort) => `CREATE INDEX records_by_${sort}
  ON records (city, by_${sort}, online_verdict, industry, industry_section, ranking_state, status, gate_status) WHERE by_${sort} IS NOT NULL;`,
);

export const records = table("records", {
  public: {
    position: integer().primaryKey(), // display order: 1 = most observed; merged records come last
    id: integer(), // ledger row
    publicId: text(),
    name: text(),
    city: text(), // slug
    // Places in the orders of the city's index, from 1; null outside it.
    byRank: integer().nullable(),
    byName: integer().nullable(),
    byObservations: integer().nullable(),
    byLastObserved: integer().nullable(),
    industry: text().nullable(),
    industrySection: text().nullable(),
    industryState: text<IndustryState>(),
    rankingState: text<RankingState>(),
    gateStatus: text<GateStatus>(),
    status: text<EntityStatus>(),
    recordStatus: text<RecordStatus>(),
    identityStatus: text<IdentityStatus>(),
    isSynthetic: boolean(),
    website: text().nullable(),
    mergedInto: text().nullable(), // public id
    identity: json<IdentityBody | null>(), // the last reviewed one
    onlineVerdict: text<OnlinePresence>(),
    online: json<{
      readonly checkedAt: number | null;
      readonly signalTypes: readonly SignalType[];
      readonly matchCount: number;
    }>(),
    standing: json<Standing>(),
    history: json<readonly HistoryPoint[]>(),
    evidenceMix: json<EvidenceMix>(),
    firstObserved: integer().nullable(), // of what counts, or while nothing does of what is accepted
    lastObserved: integer().nullable(),
    // Without rejected rows, like the three counts that follow.
    observationCount: integer(),
    setAsideCount: integer(), // of these, those that do not count as independent evidence
    assetCount: integer(),
    cellCount: integer(), // cells of fixed assets and brand mentions; 0 where every asset is mobile
    rowCount: integer(), // listed rows, rejected ones included
    lastPublished: integer().nullable(), // of its listed rows
    monthsLooked: json<RowRanges>(), // numbers of the months in whose row is a cell that it was seen in, as ranges
    observationsFrom: integer(), // number of its first observation
  },
  indexes: [
    "CREATE UNIQUE INDEX records_public_id ON records (public_id);",
    "CREATE UNIQUE INDEX records_id ON records (id);",
    "CREATE INDEX records_of_city ON records (city, position) WHERE merged_into IS NULL;",
    ...placeIndexes,
  ],
});

export const assets = table("assets", {
  public: {
    id: integer().primaryKey(), // ledger row
    record: integer(), // ledger row
    publicId: text(),
    assetType: text<AssetType>(),
    isMobile: boolean(),
    legibility: real().nullable(), // without rejected rows, like the counts
    firstObserved: integer().nullable(),
    lastObserved: integer().nullable(),
    status: text<AssetStatus>(),
    retiredBy: text<RetiredBy>().nullable(),
    monthsLooked: integer().nullable(), // since it was last observed
    observationCount: integer(),
    setAsideCount: integer(), // of these, those that do not count as independent evidence
  },
  indexes: ["CREATE INDEX assets_record ON assets (record, id);"],
});

/** An observation of a record, but for its ledger row and its leaf hash, which stand beside these in its page. */
export const observationColumns = {
  asset: integer(), // ledger row
  source: text<SourceType>(),
  observedAt: integer(), // start of the city's solar day
  acceptedAt: integer(), // the UTC day
  publishedAt: integer(),
  derivedFromArchive: boolean(),
  stated: json<StatedFacts>(),
  methodologyVersion: text(),
  cell: text(),
  state: text<VerificationState>(),
  presenceKind: text<PresenceKind>(),
  trust: real(), // 0..1
  observerTag: text(), // of the principal, at the record that the row counts for
  sourceId: text().nullable(), // null where the source may not be named
  setAside: text<SetAsideReason>().nullable(), // null: it counts as independent evidence
};

export const OBSERVATIONS_A_PAGE = 256;

/**
 * The observations of a record, newest published first, in pages of `OBSERVATIONS_A_PAGE`. They are numbered through, so that a place in
 * the list of a record gives its page.
 */
export const observationPages = table("observation_pages", {
  public: {
    seq: integer().primaryKey(), // number of its first observation
    rows: json<readonly number[]>(), // ledger rows
    facts: text(), // `observationColumns` of these rows, packed
    ledgerHashes: blob(), // of these rows
  },
});

/** The explorer over all records of a city, which needs no filter (see `explorerRows`). */
export const explorer = table("explorer", {
  public: {
    city: text(), // slug
    industry: text().nullable(),
    assetType: text<AssetType>(),
    claimState: text<ClaimState>(),
    entities: integer(),
    observations: integer(),
    observedCells: integer(),
    coverageLevel: text<ConfidenceLevel>(),
    assets: integer(),
    avgPps: real().nullable(),
    avgPercentile: real().nullable(),
    firstObserved: integer(),
    lastObserved: integer(),
  },
  indexes: ["CREATE INDEX explorer_city ON explorer (city);"],
});

/** What a record shows of one asset type, without rejected observations. */
export const explorerFacts = table("explorer_facts", {
  public: {
    record: integer(), // ledger row
    assetType: text<AssetType>(),
    observations: integer(),
    assets: integer(),
    cells: json<readonly string[]>(), // distinct published cells, sorted
    firstObserved: integer(),
    lastObserved: integer(),
  },
  primaryKey: ["record", "assetType"],
});
