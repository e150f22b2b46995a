import type { AssetType, ConfidenceLabel, EventType, OnlinePresence } from "../../contract/enums.ts";
import type { Industry, JudgedSighting, Spell } from "../types.ts";

/** A public record with everything that can raise events. Times are ms since the epoch. */
export interface EventRecord {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly name: string;
  readonly industry: Industry;
  readonly matchUnderReview: boolean;
  readonly sightings: readonly JudgedSighting[]; // all that the record lists now
  readonly assets: readonly EventAsset[];
  readonly checks: readonly OnlineCheck[];
}

export interface EventAsset {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly assetType: AssetType;
  readonly retirements: readonly Retirement[];
}

/** A review that retired or reinstated an asset. */
export interface Retirement {
  readonly at: number; // publication time
  readonly retired: boolean;
}

export interface OnlineCheck {
  readonly checkedAt: number;
  readonly verdict: OnlinePresence;
}

/** A sighting in a time in which it counted for a record. */
export interface Seen extends Spell {
  readonly sighting: JudgedSighting;
  /** Whether it still does, for the same record and asset: else it is evidence of what was known then, and no longer. */
  readonly isStill: boolean;
}

/** A change event (interface 2.11) without its URLs. */
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
  readonly evidenceCount: number; // number of sightings behind it that still count
  readonly headline: string;
  readonly summary: string;
}

/** A raw event, before confidence and texts are added. */
export interface Occurrence {
  readonly type: EventType;
  readonly detectedAt: number;
  readonly asset: EventAsset | undefined; // the subject; undefined when it is the record
  /** What tells this occurrence from others of its type and subject; undefined where there is only one. */
  readonly since?: string | undefined;
  readonly evidence: readonly Seen[]; // by what was known when it was detected
  /** Of a stale fixed asset: months that began after it was last seen, in whose row its cell is; undefined for a mobile one. */
  readonly lookedMonths?: number | undefined;
}
