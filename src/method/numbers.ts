import { MINIMUMS } from "../contract/limits.ts";
import { LOOK_PARAMETERS } from "../contract/params.ts";
import { DAY_MS, isoDate, solarDayNumber, solarDayStart, solarOffsetHours } from "../kernel/time.ts";

/** Rounding and averages, shared by the formulas. */

/** Rounds to 1e-9 before ranking, so that summation order never splits a tie (design 7). */
export function round9(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** Rounds scores and percentiles to the two published decimals. */
export function publishedNumber(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Rounds shares (0..1) to the four published decimals; 0 when the whole is 0. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1e4) / 1e4;
}

/** Median: the mean of the two middle values for an even count; undefined for an empty list. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Arithmetic mean, summed in ascending order so input order does not matter; undefined for an empty list. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0) / values.length;
}

/** The data time of a release in one city: the instant and its local solar day. */
export interface AsOf {
  readonly ms: number;
  readonly day: number; // the city's solar day number
  readonly offsetHours: number; // offset of solar time from UTC, ms
}

/** Returns `ms` since the epoch as the AsOf of a city at longitude `lng`. */
export function asOfAt(ms: number, lng: number): AsOf {
  const offsetHours = solarOffsetHours(lng);
  return { ms, day: solarDayNumber(ms, offsetHours), offsetHours };
}

/** Returns the last millisecond of a solar day in the same city, the meaning of "as of that day" in histories. */
export function endOfDay(day: number, { offsetHours }: AsOf): AsOf {
  return { ms: solarDayStart(day + 1, offsetHours) - 1, day, offsetHours };
}

/** Returns whole solar days from `day` to the day of `asOf`: 0 today, 1 yesterday, negative in the future. */
export function ageInDays(day: number, asOf: AsOf): number {
  return asOf.day - day;
}

/** Defines "the last N days": ages 0 to N - 1, including today. */
export function withinDays(day: number, asOf: AsOf, days: number): boolean {
  const age = ageInDays(day, asOf);
  return age >= 0 && age < days;
}

/** Formats a solar day number as a date: `2026-05-01`. */
export function dateOfDay(day: number): string {
  return isoDate(day * DAY_MS);
}

/** All numbers of the methodology. A test compares them with docs/methodology.md. */
export const PARAMETERS = {
  verification: { corroborationDays: 30 },
  trust: {
    source: { scout: 1, fleet_cam: 0.8, telematics_api: 0.6, seed_survey: 0.5 },
    state: { verified: 1, corroborated: 0.9, provisional: 0.7, rejected: 0 },
  },
  independence: {
    /** 1 for source types that can plausibly see assets other than vehicles. */
    seesFixed: { scout: 1, fleet_cam: 1, telematics_api: 0, seed_survey: 1 },
  },
  window: { days: 365 },
  gate: {
    observers: 3,
    observations: 5,
    days: 2,
  },
  score: {
    recencyHalfLifeDays: 60,
    volumeHalfLifeDays: 90,
    volumeScale: 6,
    breadthScale: 1, // small scales: one asset in one cell has most of both, so size alone decides little
    assetsScale: 1,
    independenceScale: 3,
    temporaryShare: 0.25, // what a temporary sign lifts, in each component
    weights: { recency: 0.25, volume: 0.3, breadth: 0.05, assets: 0.05, independence: 0.35 },
  },
  cohort: { minimum: 5, madFactor: 1.4826, meanDeviationFactor: 1.2533, smallestSpread: 5 },
  history: { weeks: 26, countDays: 30 },
  coverage: {
    citationDays: 180,
    cellDays: 90,
    freshCellDays: 45,
    activeDays: 30,
    seedCitations: 50,
    seedCells: 10,
    seedCellShare: 0.25,
    denseRatio: 0.3,
    denseScouts: 3,
    stabilityDays: 7,
    repeatWeeks: 2, // different weeks of the cell window in which a cell was looked at
    mediumRatio: 0.3,
    highRatio: 0.6,
    highDetection: 0.5,
    measuredDays: 365,
    currentDays: 14,
    agingDays: 45,
  },
  looks: LOOK_PARAMETERS,
  samples: {
    windowDays: 90,
    size: 200,
    setAsideSize: 100,
    minimumReviewed: MINIMUMS.reviewedObservations,
  },
  revisit: {
    assets: 200,
    cells: 30,
    lookDays: 90,
    visitDays: 60,
    minimumReached: 0.8,
    minimumVisited: MINIMUMS.visitedSigns,
    minimumCells: MINIMUMS.visitedCells,
  },
  explorer: { minimumRanked: MINIMUMS.averagedRecords },
  people: { minimum: MINIMUMS.people },
  assets: {
    staleFixedDays: 180,
    staleMobileDays: 90,
    retiredFixedDays: 365, // the window: nothing of it counts for gate and score any more
    retiredMobileDays: 180,
    lookedMonths: 3, // months in which others looked and did not see what one observer alone reports
  },
  events: {
    lateDays: 30, // rows older than this at publication raise no event
    provisionalConfidence: 0.6,
    corroboratedConfidence: 0.75,
    verifiedConfidence: 0.85,
    staleConfidence: 0.65,
    gapConfidence: 0.7,
    confidenceStep: 0.05, // of each further observer, month looked, or check that found nothing
    countedObservers: 2, // beyond the first one
    countedMonths: 5,
    countedChecks: 3,
  },
} as const;
