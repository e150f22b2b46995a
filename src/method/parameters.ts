import { MINIMUMS } from "../contract/minimums.ts";

/** All numbers of the methodology. A test compares them with docs/methodology.md. */
export const PARAMETERS = {
  verification: { corroborationDays: 30 },
  trust: {
    source: { scout: 1, fleet_cam: 0.8, telematics_api: 0.6, seed_survey: 0.5 },
    state: { verified: 1, corroborated: 0.9, provisional: 0.7, rejected: 0 },
  },
  window: { days: 365 },
  gate: {
    observers: 3,
    observations: 5,
    days: 2,
    concentrationMinimum: 10, // minimum of independent observations for checking one observer's share
    concentrationShare: 0.8, // a larger share by one observer requires a review
  },
  score: {
    recencyHalfLifeDays: 60,
    volumeHalfLifeDays: 90,
    volumeScale: 6,
    breadthScale: 3,
    assetsScale: 3,
    independenceScale: 3,
    weights: { recency: 0.25, volume: 0.3, breadth: 0.1, assets: 0.1, independence: 0.25 },
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
    lowRatio: 0.1,
    highRatio: 0.6,
    currentDays: 14,
    agingDays: 45,
  },
  samples: { windowDays: 90, size: 200, minimumReviewed: MINIMUMS.reviewedObservations },
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
