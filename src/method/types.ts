import type {
  AssetStatus,
  AssetType,
  IndustryMethod,
  LookSpan,
  RetiredBy,
  SetAsideReason,
  SourceType,
  VerificationState,
} from "../contract/enums.ts";
import { isoMonth, monthNumber, solarDayNumber } from "../kernel/time.ts";
import { type AsOf, ageInDays, median, PARAMETERS, withinDays } from "./numbers.ts";

/** Input of the methodology, grouped by record. Times are ms since the epoch, days are solar day numbers. */

/** Inputs of the methodology, grouped by record. Times are ms since the epoch; days are solar day numbers. */

export interface Sighting {
  readonly id: number; // ledger row
  readonly asset: number; // ledger row of the asset
  readonly assetType: AssetType;
  readonly source: SourceType;
  readonly observer: string; // observer tag: identifies a principal within one record
  readonly observedAt: number; // as published: start of `day` in UTC
  readonly day: number; // solar day of the city
  readonly cell: string;
  readonly fine: boolean; // the cell has resolution 8; false for mobile assets, whose cell is the size of a city
  readonly publishedAt: number; // time of the seal that covers it
  readonly archived: boolean; // derived from an archive
  readonly verdict: "verified" | "rejected" | undefined; // its last review
  /** Why it does not count as independent evidence; null for one that counts. */
  readonly setAside: SetAsideReason | null;
}

export interface JudgedSighting extends Sighting {
  readonly state: VerificationState;
  readonly trust: number; // 0..1, three decimals
  readonly corroboratedFrom: number; // the first solar day on which it is corroborated; Infinity if never
}

export interface Industry {
  readonly code: string | null;
  readonly method: IndustryMethod;
  readonly authoritative: boolean;
}

/** A time in which a sighting counted for a record and an asset, by what was published then. */
export interface Spell {
  readonly record: number; // ledger row
  readonly asset: number; // ledger row
  readonly from: number; // ms, time of a seal
  readonly until: number; // Infinity while it lasts
  readonly isMoved: boolean; // it counted for another record or asset before
}

/** A record with its live sightings in row order, including rejected ones. */
export interface RecordFacts {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly industry: Industry;
  readonly flagged: boolean; // flagged by a review and not unflagged since
  readonly matchUnderReview: boolean;
  readonly sightings: readonly JudgedSighting[];
}

/** Where somebody looked for fixed signs in a city in a span of its solar days. */
export interface LookRow {
  readonly span: LookSpan;
  readonly first: number; // solar day number
  readonly last: number;
  readonly publishedAt: number; // ms, time of the seal that covers it
  readonly cells: readonly string[]; // resolution 8
}

/** Returns whether a row can raise events. Archives, seed surveys and rows older than 30 days at publication cannot. */
export function isLive({ archived, source, day, publishedAt }: Sighting, { offsetHours }: AsOf): boolean {
  const delay = solarDayNumber(publishedAt, offsetHours) - day;
  return !archived && source !== "seed_survey" && delay <= PARAMETERS.events.lateDays;
}

/** Days without a sighting after which an asset is stale: fewer for mobile and temporary assets. */
export function staleAfterDays(assetType: AssetType): number {
  return isShortLived(assetType) ? PARAMETERS.assets.staleMobileDays : PARAMETERS.assets.staleFixedDays;
}

/** Days without a sighting after which an asset is retired by age. */
function retiredAfterDays(assetType: AssetType): number {
  return isShortLived(assetType) ? PARAMETERS.assets.retiredMobileDays : PARAMETERS.assets.retiredFixedDays;
}

function isShortLived(assetType: AssetType): boolean {
  return assetType === "vehicle_wrap" || assetType === "temp_sign";
}

export interface AssetFacts {
  readonly assetType: AssetType;
  /** The last solar day of its dating evidence. */
  readonly lastDay: number | undefined;
  /** Its last review, and the solar day on which it was published. */
  readonly review: { readonly day: number; readonly retired: boolean } | undefined;
}

export interface AssetState {
  readonly status: AssetStatus;
  readonly retiredBy: RetiredBy | null; // null unless it is retired
}

/**
 * A review retires whatever is seen. Else age does: first it is stale, then retired, and a new sighting takes that back. Where a reviewer said
 * that it is still there, age retires it only once it was seen on a later day: an old sighting that arrives late says nothing of it.
 */
export function assetState({ assetType, lastDay, review }: AssetFacts, asOf: AsOf): AssetState {
  if (review?.retired === true) return { status: "retired", retiredBy: "review" };
  const isWithin = (days: number) => lastDay !== undefined && withinDays(lastDay, asOf, days);
  if (isWithin(staleAfterDays(assetType))) return { status: "active", retiredBy: null };
  const isKept = lastDay === undefined || (review !== undefined && review.day >= lastDay);
  return isKept || ageInDays(lastDay, asOf) < retiredAfterDays(assetType)
    ? { status: "stale", retiredBy: null }
    : { status: "retired", retiredBy: "age" };
}

/** Returns the median legibility, ignoring observations without one; null when none has one. */
export function legibilityScore(values: readonly (number | null)[]): number | null {
  return median(values.filter((value) => value !== null)) ?? null;
}

/** A month in which two or more principals looked at a cell. */
export interface LookedMonth {
  readonly first: number; // solar day number
  readonly publishedAt: number; // ms
}

/** The months in which the cells of a city were looked at, by cell. */
export class LookedMonths {
  readonly #months = new Map<string, LookedMonth[]>();

  constructor(looks: readonly LookRow[]) {
    for (const { span, first, publishedAt, cells } of looks) {
      if (span !== "month") continue;
      for (const cell of cells) {
        const months = this.#months.get(cell);
        if (months === undefined) this.#months.set(cell, [{ first, publishedAt }]);
        else months.push({ first, publishedAt });
      }
    }
  }

  /** In how many months the cell of a sighting was looked at since; null where nobody looks for such an asset. */
  since({ fine, day, cell }: Pick<Sighting, "fine" | "day" | "cell">): number | null {
    return fine ? this.after(day, cell).length : null;
  }

  /** The months in which any of these cells was looked at, by number, ascending. */
  at(cells: Iterable<string>): number[] {
    const months = [...cells].flatMap((cell) => this.after(Number.NEGATIVE_INFINITY, cell));
    return [...new Set(months.map(({ first }) => monthNumber(isoMonth(first))))].sort((a, b) => a - b);
  }

  /** The months that began after a solar day. */
  after(day: number, cell: string): LookedMonth[] {
    return (this.#months.get(cell) ?? []).filter(({ first }) => first > day);
  }
}
