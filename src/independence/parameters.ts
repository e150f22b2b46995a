import { DAY_MS, HOUR_MS } from "../kernel/time.ts";
import type { CheckCode } from "./trace.ts";

const MINUTE_MS = 60_000;

/** All numbers of the checks and of standing: distances in meters, speeds in km/h, times as named. */
export const INDEPENDENCE = {
  clock: { lateDays: 7 },
  exactCopy: { minDecimals: 6 }, // coarser coordinates coincide by chance
  frame: { seconds: 60, meters: 150, assets: 4 }, // one picture may show several assets
  nearMedia: { maxBits: 3, minSetBits: 5, maxSetBits: 59, maxCandidates: 256 },
  sameLook: { minutes: 30 },
  travel: {
    slackMeters: 1000,
    roadSpeed: 200,
    flightSpeed: 900,
    flightHours: 2,
    lookback: 32,
  },
  coTravel: {
    meters: 150,
    minutes: 5,
    places: 5,
    days: 2,
    share: 0.3,
    dayPlaces: 10,
    leaderShare: 0.6,
    maxCandidates: 64,
  },
  standing: {
    verifiedRecords: 5,
    confirmDays: 30,
    confirmerDays: 30, // before a principal established by discoveries confirms others
    records: 4,
    cells: 3,
    days: 3,
    confirmers: 2,
    recordsWithoutOneConfirmer: 2,
    rejectedRows: 3,
    verifiedPerRejected: 10,
    graceDays: 3, // after rows without standing published an asset
    agreeMeters: 50,
  },
  burst: { principals: 3, newDays: 30, days: 7, otherPrincipals: 2 },
  ring: {
    minPrincipals: 3,
    maxPrincipals: 12,
    minRecords: 3,
    recordsPerPrincipal: 2,
    similarity: 0.6,
    share: 0.25,
    gateObservers: 3,
    maxCompared: 8,
  },
  copiedPublic: { rows: 6, meters: 150, share: 0.5, placeMeters: 30, maxPlaces: 32 },
} as const;

export const CLOCK_MS = INDEPENDENCE.clock.lateDays * DAY_MS;
export const FRAME_MS = INDEPENDENCE.frame.seconds * 1000;
export const SAME_LOOK_MS = INDEPENDENCE.sameLook.minutes * MINUTE_MS;
export const CO_TRAVEL_MS = INDEPENDENCE.coTravel.minutes * MINUTE_MS;
export const FLIGHT_MS = INDEPENDENCE.travel.flightHours * HOUR_MS;

/** Versions of the checks: a version rises with every change of what its check finds. */
export const CHECK_VERSIONS: Readonly<Record<CheckCode, number>> = {
  suspended: 1,
  affiliated: 1,
  cannot_see: 1,
  clock: 1,
  exact_copy: 1,
  same_media: 1,
  near_media: 1,
  same_look: 1,
  impossible_travel: 1,
  co_travel: 1,
  not_established: 1,
  burst: 1,
  ring: 1,
  copied_public: 1,
};
