import type { AssetType } from "../contract/enums.ts";

const EARTH_RADIUS_METERS = 6_371_009;
const RADIANS = Math.PI / 180;
const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS;

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Great-circle distance in meters. */
export function metersBetween(a: Place, b: Place): number {
  const half = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const side = Math.sin(((b.lng - a.lng) * RADIANS) / 2);
  const chord = half * half + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * side * side;
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Whether two places are at most so many meters apart; quick where they are not. */
export function isWithin(meters: number, a: Place, b: Place): boolean {
  return Math.abs(a.lat - b.lat) * METERS_PER_DEGREE <= meters && metersBetween(a, b) <= meters;
}

/** One observation as the checks see it when it enters. Private as a whole. */
export interface EnteringTrace {
  /** Ledger row: the order of entry. */
  readonly row: number;
  /** Keyed hash: one observer of one operator. */
  readonly observer: string;
  /** The principal that controls the observer. */
  readonly principal: string;
  /** Id of the source, or `BUILT_IN`. */
  readonly source: string;
  /** True for collective and built-in sources: all their observers are one principal. */
  readonly isCollective: boolean;
  readonly assetType: AssetType;
  /** The record at the end of merges. */
  readonly record: number;
  readonly asset: number;
  /** H3 cell of resolution 8, of the exact place. */
  readonly cell: string;
  readonly lat: number;
  readonly lng: number;
  /** Time of the observation, in ms. */
  readonly instant: number;
  /** True where the source gave no time of day. */
  readonly isBareDate: boolean;
  readonly isArchive: boolean;
  /** UTC day of acceptance, in ms. Never falls from row to row. */
  readonly acceptedDay: number;
  /** UTC day (ms) on which the asset's first row was accepted: the asset is public from the day after. */
  readonly assetPublishedDay: number;
  /** Keyed hash of the media file. */
  readonly media: string | null;
  /** 64-bit perceptual hash of the media. */
  readonly mediaLook: bigint | null;
}

/** One observation with what reviews said about it. */
export interface Trace extends EnteringTrace {
  readonly verdict: "verified" | "rejected" | undefined;
  /** True where a review said that a check was wrong. */
  readonly isRestored: boolean;
}

export interface ObserverFacts {
  readonly principal: string;
  readonly isSuspended: boolean;
  readonly isVouched: boolean;
}

/** What the operator registered. */
export interface Registry {
  /** By observer hash. An observer that is not listed is its own principal, neither vouched nor suspended. */
  readonly observers: ReadonlyMap<string, ObserverFacts>;
  /** Whether a principal runs a record, its brand or its vehicles. */
  isAffiliated(principal: string, record: number): boolean;
  /** Whether a source can plausibly see an asset type. */
  canSee(source: string, assetType: AssetType): boolean;
  /**
   * Records that owners run, where they are known by principal: lets the ring check find owners who see each other's
   * records among many other sightings.
   */
  readonly affiliations?: Iterable<{ readonly principal: string; readonly record: number }>;
}

/** Why a row does not count, in the order in which reasons are tried; the last two only raise review items. */
export const CHECK_CODES = [
  "suspended",
  "affiliated",
  "cannot_see",
  "clock",
  "exact_copy",
  "same_media",
  "near_media",
  "same_look",
  "impossible_travel",
  "co_travel",
  "not_established",
  "burst",
  "ring",
  "copied_public",
] as const;

export type CheckCode = (typeof CHECK_CODES)[number];

/** One entry of the reviewers' list. */
export interface ReviewItem {
  readonly check: CheckCode;
  /** The record concerned; null where there are several. */
  readonly record: number | null;
  readonly observers: readonly string[];
  readonly rows: readonly number[];
}

export interface Judgement {
  /** Why a row does not count: the first check that applies. Rows that are not listed count. */
  readonly setAside: ReadonlyMap<number, CheckCode>;
  /** Principal -> UTC day (ms) since which it is established; 0 where it was vouched for or is collective. */
  readonly established: ReadonlyMap<string, number>;
  readonly items: readonly ReviewItem[];
}
