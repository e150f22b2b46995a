import type { DeliverySetup } from "../contract/accounts/delivery.ts";
import { ClaimState, type EntityStatus } from "../contract/enums.ts";
import { type RowOf, type Selected, selection } from "../kernel/table.ts";
import type { ExplorerRow as Aggregates } from "../method/explorer.ts";
import { PARAMETERS } from "../method/numbers.ts";
import { cities, events } from "./tables/cities.ts";
import type { StoredObservation } from "./tables/packed.ts";
import { assets, records } from "./tables/records.ts";
import { type release, seals, type sources, type tallies } from "./tables/release.ts";

/** The rows that queries of `snapshot.db` return: columns of its tables. Resources turn these into wire objects. */

export type { CitedEvidence } from "../method/citation.ts";
export type { CellCounts } from "../method/coverage/coverage.ts";
export type { EvidenceMix } from "./tables/records.ts";

export interface ReleaseRow
  extends Omit<RowOf<typeof release.columns>, "emailDelivery" | "webhooksDelivered"> {
  readonly delivery: DeliverySetup;
}

/** A registered source. */
export type SourceEntry = RowOf<typeof sources.columns>;
/** What checks set aside in a month. */
export type Tally = RowOf<typeof tallies.columns>;

export const SEAL = selection(seals.columns, "row");
export type SealRow = Selected<typeof SEAL>;

export const CITY = selection(cities.columns, "observedCells");
export type CityRow = Selected<typeof CITY>;
export type CityCoverage = CityRow["coverage"];
export type CityAccuracy = CityRow["accuracy"];

/** The sightings of one record in one published cell, rejected ones left out. */
export interface RecordCellRow {
  readonly cell: string;
  readonly observations: number;
  readonly lastObserved: number; // ms
}

export const RECORD = selection(
  records.columns,
  "byRank",
  "byName",
  "byObservations",
  "byLastObserved",
  "industrySection",
  "rankingState",
  "gateStatus",
  "evidenceMix",
  "observationsFrom",
  "lastPublished",
);
export type RecordRow = Selected<typeof RECORD>;

export const ASSET = selection(assets.columns, "record");
export type AssetRow = Selected<typeof ASSET>;

/** An observation with what is shown of its asset, and the ledger rows that changed it. */
export interface ObservationRow extends StoredObservation {
  readonly assetPublicId: string;
  readonly assetType: AssetRow["assetType"];
  readonly isMobile: boolean;
  readonly changedBy: readonly number[];
}

const { publicId: assetPublicId, assetType } = assets.columns;

/** FROM events JOIN records JOIN cities LEFT JOIN assets. */
export const EVENT = selection(
  {
    ...events.columns,
    recordPublicId: records.columns.publicId,
    recordName: records.columns.name,
    isSynthetic: records.columns.isSynthetic,
    industry: records.columns.industry,
    cityName: cities.columns.name,
    assetPublicId: assetPublicId.nullable(),
    assetType: assetType.nullable(),
  },
  "seq",
);
export type EventRow = Selected<typeof EVENT>;

/** An aggregate of the explorer; its coverage confidence is its city's. */
export interface ExplorerRow extends Omit<Aggregates, "coverageLevel" | "firstObserved" | "lastObserved"> {
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
}

/** Verified records are claimed. */
const CLAIMED: readonly EntityStatus[] = ["claimed", "verified"];
const { claimed, unclaimed } = ClaimState.enum;

/** The claim state of a record with this status. */
export function claimState(status: EntityStatus): ClaimState {
  return CLAIMED.includes(status) ? claimed : unclaimed;
}

/** The same as an SQL expression; `status` is one, too. */
export function claimStateSql(status: string): string {
  const listed = CLAIMED.map((name) => `'${name}'`).join(", ");
  return `CASE WHEN ${status} IN (${listed}) THEN '${claimed}' ELSE '${unclaimed}' END`;
}

/** 1 for source types that can plausibly see assets other than vehicles, as releases judge their observations. */
export const SOURCE_SIGHT = PARAMETERS.independence.seesFixed;
