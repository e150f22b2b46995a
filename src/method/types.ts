/** Input of the methodology, grouped by record. Times are ms since the epoch, days are solar day numbers. */
import type { AssetType, IndustryMethod, SourceType, VerificationState } from "../contract/enums.ts";

export interface Sighting {
  readonly id: number; // ledger row
  readonly asset: number; // ledger row of the asset
  readonly assetType: AssetType;
  readonly source: SourceType;
  readonly observer: string; // observer tag: the same person or device within one record
  readonly observedAt: number; // as published: cut to the hour, or to the solar day for mobile assets
  readonly day: number; // solar day of the city
  readonly cell: string;
  readonly fine: boolean; // the cell is of resolution 8 (mobile assets publish resolution 7)
  readonly publishedAt: number; // when the seal that covers it was made
  readonly archived: boolean; // derived from an archive
  readonly verdict: "verified" | "rejected" | undefined; // the last review about it
}

export interface JudgedSighting extends Sighting {
  readonly state: VerificationState;
  readonly trust: number; // 0..1, three decimals
}

export interface Industry {
  readonly code: string | null;
  readonly method: IndustryMethod;
  readonly authoritative: boolean;
}

/** A record with its live sightings in row order, rejected ones included. */
export interface RecordFacts {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly industry: Industry;
  readonly flagged: boolean; // a review flagged it and none unflagged it since
  readonly matchUnderReview: boolean;
  readonly sightings: readonly JudgedSighting[];
}
