/** The rows that queries of `snapshot.db` return: columns of its tables. Resources turn these into wire objects. */
import type { DeliverySetup } from "../contract/accounts/delivery.ts";
import { type RowOf, type Selected, selection } from "../kernel/table.ts";
import type { ExplorerRow as Aggregates } from "../method/explorer.ts";
import { cities, events } from "./tables/cities.ts";
import type { sources, tallies } from "./tables/independence.ts";
import type { StoredObservation } from "./tables/observation-page.ts";
import { assets, records } from "./tables/records.ts";
import type { release } from "./tables/release.ts";
import { seals } from "./tables/release.ts";

export type { CitedEvidence } from "../method/citation.ts";
export type { CellCounts } from "../method/coverage/coverage-cells.ts";
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

/** FROM events JOIN records LEFT JOIN assets. */
export const EVENT = selection(
  {
    ...events.columns,
    recordPublicId: records.columns.publicId,
    recordName: records.columns.name,
    industry: records.columns.industry,
    assetPublicId: assetPublicId.nullable(),
    assetType: assetType.nullable(),
  },
  "seq",
);
export type EventRow = Selected<typeof EVENT>;

/** An aggregate of the explorer; its coverage level is its city's. */
export interface ExplorerRow extends Omit<Aggregates, "coverageLevel" | "firstObserved" | "lastObserved"> {
  readonly firstObserved: number | null;
  readonly lastObserved: number | null;
}
