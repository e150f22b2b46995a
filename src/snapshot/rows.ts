import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import type {
  AssetStatus,
  AssetType,
  ClaimState,
  CollectionStatus,
  ConfidenceLabel,
  EntityStatus,
  Environment,
  EventType,
  IdentityStatus,
  IndustryLevel,
  IndustryState,
  OnlinePresence,
  PresenceKind,
  PublicationStatus,
  RecordStatus,
  SignalType,
  SourceType,
  VerificationState,
} from "../contract/enums.ts";
import type { IdentityBody, SealBody } from "../ledger/rows/rows.ts";
import type { CitedEvidence } from "../method/citation.ts";
import type { cityCoverage } from "../method/coverage/coverage.ts";
import type { CellCounts } from "../method/coverage/coverage-cells.ts";
import type { HistoryPoint } from "../method/history.ts";
import type { Standing } from "../method/standing/standing.ts";

export type { CitedEvidence };

export type CityCoverage = ReturnType<typeof cityCoverage>;

/** What snapshot.db holds, as its queries return it. Times are ms since the epoch. Resources turn these into wire objects. */

export interface ReleaseRow {
  readonly releaseId: string; // UUID made from the release's inputs
  readonly asOf: number;
  readonly treeSize: number;
  readonly environment: Environment;
  readonly origin: string;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly latestLiveRow: number; // ledger head when the release was built
  readonly latestLiveAt: number | null;
  readonly lastSealedRow: number;
  readonly lastSealAt: number | null;
  readonly externalTimestamping: boolean;
  readonly securityContact: string | null; // mailto: or https: address
  readonly referenceHash: string; // SHA-256 of industries and city catalogue
  readonly activityHash: string | null; // SHA-256 of the machine activity; null when none was measured
  readonly demandHash: string | null; // SHA-256 of the demand; null when none was measured
  readonly operatorName: string | null;
  readonly operatorTextsHash: string | null; // SHA-256 of the operator's texts; null when there are none
  readonly incidentsHash: string | null; // SHA-256 of the operator's incidents; null when there are none
  readonly reportsHash: string | null; // SHA-256 of the counts of reports; null when none were measured
  readonly delivery: DeliverySetup; // as the operator had it set up when the release was built
}

export interface CityRow {
  readonly id: number; // ledger row that registered it
  readonly slug: string;
  readonly name: string;
  readonly region: string;
  readonly regionCode: string;
  readonly country: string;
  readonly countryName: string;
  readonly geonameId: number;
  readonly lat: number;
  readonly lng: number;
  readonly publicationStatus: PublicationStatus;
  readonly collectionStatus: CollectionStatus;
  readonly launched: boolean;
  readonly denominatorReviewed: boolean;
  readonly cellManifestId: string; // SHA-256 of the sorted list of eligible cells
  readonly cells: readonly string[]; // eligible resolution-8 cells, sorted
  readonly snapshotId: string; // UUID made from the city's content
  readonly recordCount: number; // listed ones; dissolved ones are in no index
  readonly observationCount: number; // without rejected rows
  readonly rankingSummary: {
    readonly eligible: number;
    readonly evidence_building: number;
    readonly integrity_review: number;
  };
  /** What pps is relative to: the raw scores of the eligible records; nulls when they are too few to be ranked. */
  readonly cohort: { readonly size: number; readonly median: number | null; readonly spread: number | null };
  readonly coverage: CityCoverage;
}

/** What was observed in one resolution-8 cell of a city. */
export type CellCountsRow = CellCounts;

/** Active records of one exact ISIC code. */
export interface IndustryCountRow {
  readonly code: string;
  readonly records: number;
}

/** The sightings of one record in one published cell, rejected ones left out. */
export interface RecordCellRow {
  readonly cell: string;
  readonly observations: number;
  readonly lastObserved: number;
}

export interface RecordRow {
  readonly position: number; // display order: 1 = most observed; merged records come last
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly name: string;
  readonly city: string; // slug
  readonly industry: string | null;
  readonly industryState: IndustryState;
  readonly status: EntityStatus;
  readonly recordStatus: RecordStatus;
  readonly identityStatus: IdentityStatus;
  readonly isSynthetic: boolean;
  readonly website: string | null;
  readonly mergedInto: string | null; // public id
  readonly identity: IdentityBody | null; // the last reviewed one
  readonly online: {
    readonly verdict: OnlinePresence;
    readonly checkedAt: number | null;
    readonly signalTypes: readonly SignalType[];
    readonly matchCount: number;
  };
  readonly standing: Standing;
  readonly history: readonly HistoryPoint[];
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
  readonly observationCount: number; // these three and the dates without rejected rows
  readonly assetCount: number;
  readonly cellCount: number;
  readonly rowCount: number; // listed rows, rejected ones included
}

export interface AssetRow {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly assetType: AssetType;
  readonly isMobile: boolean;
  readonly legibility: number | null;
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
  readonly status: AssetStatus;
  readonly observationCount: number; // like the dates and the legibility, without rejected rows
}

export interface ObservationRow {
  readonly id: number; // ledger row
  readonly asset: number;
  readonly assetPublicId: string;
  readonly assetType: AssetType;
  readonly isMobile: boolean;
  readonly source: SourceType;
  readonly observedAt: number; // cut to the hour, or to the solar day where the asset is mobile
  readonly acceptedAt: number; // the UTC day
  readonly publishedAt: number;
  readonly reprocessedAt: number | null;
  readonly derivedFromArchive: boolean;
  readonly recognitionModelVersion: string | null;
  readonly methodologyVersion: string;
  readonly cell: string;
  readonly state: VerificationState;
  readonly presenceKind: PresenceKind;
  readonly trust: number;
  readonly ledgerHash: string;
  readonly observerTag: string;
}

/** Counts over the accepted observations of a record, for the evidence packet. */
export interface EvidenceMix {
  readonly source: readonly { readonly value: string; readonly count: number }[];
  /** Over all listed rows: the one count that has the rejected ones. */
  readonly verification: readonly { readonly value: string; readonly count: number }[];
  /** By presence kind: the physical citations. */
  readonly citations: readonly { readonly value: string; readonly count: number }[];
  /** What a citation of the record says of these. */
  readonly cited: CitedEvidence;
}

export interface EventRow {
  readonly id: string;
  readonly city: string;
  readonly type: EventType;
  readonly detectedAt: number;
  readonly headline: string;
  readonly summary: string;
  readonly recordPublicId: string;
  readonly recordName: string;
  readonly industry: string | null;
  readonly assetPublicId: string | null;
  readonly assetType: AssetType | null;
  readonly confidence: number;
  readonly confidenceLabel: ConfidenceLabel;
  readonly evidenceCount: number;
}

export interface ExplorerRow {
  readonly city: string;
  readonly industry: string | null;
  readonly assetType: AssetType;
  readonly claimState: ClaimState;
  readonly entities: number;
  readonly observations: number;
  readonly observedCells: number;
  readonly assets: number;
  readonly avgPps: number | null;
  readonly avgPercentile: number | null;
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
}

export interface SealRow {
  readonly manifest: SealBody;
  readonly treeSize: number; // of the smallest signed tree that holds the seal
  readonly externalProof: {
    readonly provider: string | null;
    readonly status: string;
    readonly proofSha256: string | null;
    readonly verifiedAt: number | null;
  };
}

/** A city of the independent catalogue, whether or not the service observes it. */
export interface GazetteerRow {
  readonly geonameId: number;
  readonly name: string;
  readonly asciiName: string;
  readonly region: string;
  readonly regionCode: string;
  readonly countryCode: string;
  readonly countryName: string;
  readonly population: number;
  readonly lat: number;
  readonly lng: number;
}

/** One entry of UN ISIC Revision 5. */
export interface IndustryRow {
  readonly code: string;
  readonly title: string;
  readonly level: IndustryLevel;
  readonly sectionCode: string;
  readonly sectionTitle: string;
}
