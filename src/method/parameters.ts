import { MINIMUMS } from "../contract/limits.ts";
import { LOOK_PARAMETERS } from "../contract/params.ts";

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
  assets: { staleFixedDays: 180, staleMobileDays: 90 },
  events: {
    lateDays: 30, // rows older than this at publication raise no event
    ledgerConfidence: 0.9,
    corroboratedConfidence: 0.95,
    derivedConfidence: 0.7,
    reviewConfidence: 0.5,
  },
} as const;
