import { expect } from "vitest";
import type { GateStatus, RankingState } from "../../../src/contract/enums.ts";
import type { Standing } from "../../../src/method/standing/standing.ts";

const STATES: Readonly<Record<GateStatus, readonly RankingState[]>> = {
  eligible: ["ranked", "awaiting_cohort"],
  evidence_building: ["insufficient_evidence"],
  integrity_review: ["integrity_review"],
  outside_ranking: ["outside_ranking"],
};

const REASONS: Readonly<Record<RankingState, RegExp>> = {
  ranked: /^Rank \d+ among \d+ eligible/,
  awaiting_cohort: /^Eligible but not ranked yet: the city has \d+ eligible records, and a ranking needs/,
  insufficient_evidence: /^Not ranked yet: ./,
  integrity_review: /^Not ranked: .* integrity review/,
  outside_ranking: /^Not ranked: the record is dissolved or merged/,
};

/** Asserts that all fields of a standing are consistent. */
export function expectConsistent(standing: Standing): void {
  const { gate, rankingState, scoreState, reason, rank, pps, percentile, cohortSize } = standing;
  const { ppsWithoutAnyOneObserver, gateHoldsWithoutAnyOneObserver } = standing;
  expect(STATES[gate.status]).toContain(rankingState);
  expect(reason).toMatch(REASONS[rankingState]);
  expect(gate.missing.length === 0).toBe(gate.status === "eligible");
  expect(gate.missing.includes("active_record")).toBe(gate.status === "outside_ranking");
  if (gate.status === "integrity_review") expect(gate.missing).toContain("integrity_review");
  expect(gate.missing.includes("independent_observers")).toBe(!gate.observers.met);
  expect(gate.missing.includes("independent_observations")).toBe(!gate.observations.met);
  expect(gate.missing.includes("observation_days")).toBe(!gate.days.met);
  const isRanked = rankingState === "ranked";
  expect(scoreState).toBe(isRanked ? "ranked" : "provisional");
  for (const value of [rank, pps, percentile, ppsWithoutAnyOneObserver])
    expect(value !== null).toBe(isRanked);
  expect(ppsWithoutAnyOneObserver ?? 0).toBeLessThanOrEqual(pps ?? 0);
  if (gateHoldsWithoutAnyOneObserver) expect(gate.status).toBe("eligible");
  expect(cohortSize !== null).toBe(gate.status === "eligible");
}
