import type { AssetType, ConfidenceLabel, EventType, OnlinePresence } from "../../contract/enums.ts";
import type { Industry, JudgedSighting } from "../types.ts";

/** A public record with all that can raise an event about it. Times are ms since the epoch. */
export interface EventRecord {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly name: string;
  readonly publishedAt: number; // of the record's own row
  readonly industry: Industry;
  readonly matchUnderReview: boolean;
  readonly sightings: readonly JudgedSighting[]; // rejected ones included
  readonly assets: readonly EventAsset[];
  readonly checks: readonly OnlineCheck[];
}

export interface EventAsset {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly assetType: AssetType;
  readonly publishedAt: number; // of the asset's own row
  readonly retirements: readonly Retirement[];
}

/** A review that retired an asset, or took that back. */
export interface Retirement {
  readonly at: number; // when it was published
  readonly retired: boolean;
}

export interface OnlineCheck {
  readonly checkedAt: number;
  readonly verdict: OnlinePresence;
}

/** A change event (interface 2.11) before it gets its addresses. */
export interface ChangeEventFacts {
  readonly id: string;
  readonly type: EventType;
  readonly detectedAt: number;
  readonly record: number; // ledger row
  readonly recordPublicId: string;
  readonly recordName: string;
  readonly industry: string | null;
  readonly asset: number | null; // ledger row
  readonly assetPublicId: string | null;
  readonly assetType: AssetType | null;
  readonly confidence: number; // 0..1
  readonly label: ConfidenceLabel;
  readonly evidenceCount: number; // sightings behind it that are not rejected
  readonly headline: string;
  readonly summary: string;
}

/** Something that happened, before confidence and texts. */
export interface Occurrence {
  readonly type: EventType;
  readonly detectedAt: number;
  readonly asset: EventAsset | undefined; // the subject; without one it is the record
  readonly evidence: readonly JudgedSighting[]; // rejected ones included
}
