/** Rows made by hand, so that a test can say what it expects without computing it. */

import { sha256Hex } from "../../../src/kernel/hash.ts";
import { uuidFromText } from "../../../src/kernel/ids.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import type {
  AssetRow,
  CityRow,
  EventRow,
  ObservationRow,
  RecordRow,
  ReleaseRow,
  SealRow,
} from "../../../src/snapshot/rows.ts";
import { NOTHING_STATED } from "../ledger/observation-body.ts";

export const AS_OF = Date.parse("2026-06-30T00:00:00Z");
export const day = (age: number): number => AS_OF - age * DAY_MS;

export const release: ReleaseRow = {
  releaseId: uuidFromText("release"),
  asOf: AS_OF,
  treeSize: 100,
  signedTreeSize: 100,
  mends: null,
  environment: "demo",
  origin: "presence.test/demo",
  baseUrl: "https://presence.test",
  sourceRevision: "abc123",
  latestLiveRow: 103,
  pendingLines: 0,
  latestLiveAt: AS_OF - 1000,
  lastSealedRow: 99,
  lastSealAt: day(1),
  externalTimestamping: false,
  securityContact: "mailto:security@presence.test",
  referenceHash: "0".repeat(64),
  activityHash: null,
  demandHash: null,
  operatorName: null,
  siteName: null,
  operatorTextsHash: null,
  incidentsHash: null,
  reportsHash: null,
  delivery: { email: "sent", webhooks: true },
};

export function fakeCity(id: number, name: string, changes: Partial<CityRow> = {}): CityRow {
  const slug = name.toLowerCase();
  return {
    id,
    slug,
    name,
    region: "Ontario",
    regionCode: "08",
    country: "CA",
    countryName: "Canada",
    geonameId: 6_000_000 + id,
    lat: 43.7,
    lng: -79.4,
    publicationStatus: "published",
    collectionStatus: "active",
    launched: true,
    denominatorReviewed: true,
    cellManifestId: sha256Hex(slug),
    cells: ["882b9bc001fffff"],
    snapshotId: uuidFromText(slug),
    carriedOverAt: null,
    recordCount: 7,
    observationCount: 40,
    rankingSummary: { eligible: 5, evidence_building: 2, integrity_review: 0 },
    cohort: { size: 5, median: 50, spread: 8.25 },
    accuracy: { plans: 0, plansWithoutResult: 0, measured: null },
    coverage: {
      tier: "building",
      level: "medium",
      label: "Coverage: growing (3 of 4)",
      message: `${name} is being observed.`,
      limitations: "A cell counts after one sighting.",
      freshness: "current",
      tierSince: "2026-04-01",
      metrics: {
        physical_citations_180d: 40,
        unique_entities_180d: 7,
        unique_assets_180d: 9,
        observed_cells_90d: 12,
        observed_eligible_cells_90d: 11,
        eligible_coverage_cells: 40,
        cell_coverage_ratio_90d: 0.275,
        repeated_eligible_cells_90d: 8,
        repeated_cell_ratio_90d: 0.2,
        independent_scout_observers_180d: 2,
        independent_scout_observations_180d: 10,
        independent_scout_days_180d: 6,
        repeat_entity_rate_180d: 0.5,
        active_observation_days_30d: 9,
        fresh_cell_rate_45d: 0.5,
        source_family_count_180d: 2,
        largest_source_family_share_180d: 0.75,
      },
      denseGate: {
        eligible: false,
        available: true,
        pass_streak_days: 0,
        required_stability_days: 7,
        requirements: [{ key: "eligible_cell_coverage", met: false, current: 0.275, required: 0.3 }],
        missing_requirements: ["eligible_cell_coverage"],
      },
      history: [
        {
          day: "2026-06-28",
          observed_eligible_cells_90d: 10,
          cell_coverage_ratio_90d: 0.25,
          tier: "building",
        },
      ],
    },
    ...changes,
  };
}

const met = { current: 5, required: 5, met: true };
const part = { value: 0.5, weight: 0.2, points: 10 };

/** A ranked record; `rank: null` gives one that still gathers evidence. */
export function fakeRecord(
  position: number,
  changes: Partial<RecordRow> = {},
  rank: number | null = position,
): RecordRow {
  const ranked = rank !== null;
  return {
    position,
    id: 100 + position,
    publicId: `demo_${position}`,
    name: `Record ${position}`,
    city: "alpha",
    industry: "5610",
    industryState: ranked ? "declared" : "review",
    status: "unclaimed",
    recordStatus: "active",
    identityStatus: "unclaimed",
    isSynthetic: true,
    website: null,
    mergedInto: null,
    identity: null,
    onlineVerdict: "detected",
    online: { checkedAt: day(3), signalTypes: ["website"], matchCount: 1 },
    standing: {
      gate: {
        status: ranked ? "eligible" : "evidence_building",
        observers: met,
        observations: met,
        days: met,
        missing: ranked ? [] : ["industry_classification_review"],
      },
      score: {
        raw: 61.234567891,
        parts: { recency: part, volume: part, breadth: part, assets: part, independence: part },
      },
      scoreState: ranked ? "ranked" : "provisional",
      rankingState: ranked ? "ranked" : "insufficient_evidence",
      reason: ranked ? "Ranked." : "The industry is under review.",
      pps: ranked ? 71.98765 : null,
      ppsWithoutAnyOneObserver: ranked ? 58.12345 : null,
      gateHoldsWithoutAnyOneObserver: ranked,
      provisionalPps: 61.234567891,
      percentile: ranked ? 66.66666 : null,
      rank,
      cohortSize: ranked ? 5 : null,
      observers: 5,
      observations: 5,
      days: 5,
    },
    history: ranked ? [{ date: "2026-06-28", pps: 70.12345, observation_count_30d: 4 }] : [],
    firstObserved: day(100),
    lastObserved: day(2),
    setAsideCount: 0,
    observationCount: 3,
    assetCount: 1,
    cellCount: 1,
    rowCount: 4,
    monthsLooked: [],
    ...changes,
  };
}

export const fakeAsset: AssetRow = {
  id: 501,
  publicId: "demo_asset",
  assetType: "storefront",
  isMobile: false,
  legibility: 0.8,
  firstObserved: day(100),
  lastObserved: day(2),
  status: "active",
  retiredBy: null,
  monthsLooked: 0,
  observationCount: 3,
  setAsideCount: 0,
};

/** Observation number `id`, published `age` days before as_of. */
export function fakeObservation(
  id: number,
  age: number,
  changes: Partial<ObservationRow> = {},
): ObservationRow {
  return {
    id,
    asset: fakeAsset.id,
    assetPublicId: fakeAsset.publicId,
    changedBy: [],
    assetType: fakeAsset.assetType,
    isMobile: fakeAsset.isMobile,
    source: "scout",
    observedAt: day(age + 1),
    acceptedAt: day(age + 1),
    publishedAt: day(age),
    derivedFromArchive: false,
    stated: NOTHING_STATED,
    methodologyVersion: "pps-2026-11.v1",
    cell: "882b9bc001fffff",
    state: "corroborated",
    presenceKind: "location_presence",
    trust: 0.9,
    ledgerHash: sha256Hex(`row ${id}`),
    observerTag: "tag",
    sourceId: null,
    setAside: null,
    ...changes,
  };
}

export function fakeEvent(id: string, age: number, changes: Partial<EventRow> = {}): EventRow {
  return {
    id,
    city: "alpha",
    type: "new_public_record",
    detectedAt: day(age),
    headline: "A record",
    summary: "It was observed.",
    record: 1,
    asset: null,
    recordPublicId: "demo_1",
    recordName: "Record 1",
    industry: "5610",
    assetPublicId: null,
    assetType: null,
    confidence: 0.9,
    confidenceLabel: "ledger",
    evidenceCount: 1,
    verifState: "corroborated",
    strongestState: "corroborated",
    observerCount: 2,
    monthsLooked: null,
    isSynthetic: false,
    cityName: "Alpha",
    ...changes,
  };
}

export const fakeSeal: SealRow = {
  manifest: {
    canonicalization_version: "rfc8785-v1",
    checkpoint_type: "daily",
    created_at: "2026-06-29T00:05:00Z",
    date: "2026-06-28",
    environment: "demo",
    first_observation_id: 1,
    hash_algorithm: "sha-256",
    last_ledger_hash: sha256Hex("row 99"),
    last_observation_id: 99,
    leaf_count: 99,
    manifest_sha256: sha256Hex("manifest"),
    merkle_root: sha256Hex("root"),
    previous_manifest_sha256: null,
    signing_key_id: "00e0a301",
  },
  treeSize: 100,
  externalProof: { provider: null, status: "none", proofSha256: null, verifiedAt: null },
};
