import type { VerificationState } from "../enums.ts";

/** Facts about a record's accepted observations. Counts are at least 0. */
export interface EvidenceState {
  /** State of the newest accepted observation. */
  readonly state: VerificationState;
  /** Independent observers within the counting window; 0 where no observation counts as independent evidence. */
  readonly observers: number;
  readonly citations: number;
  /** True when another observer corroborated them after the time of the counts. */
  readonly isCorroboratedSince?: boolean;
}

/** Describes the certainty of the evidence as a clause to put after a colon: `seen by 3 independent observers`. */
export function evidenceStateWords(evidence: EvidenceState): string {
  return evidence.citations === 1 ? onceSeen(evidence) : oftenSeen(evidence);
}

function onceSeen({ state, observers, isCorroboratedSince = false }: EvidenceState): string {
  const link = state === "corroborated" && isCorroboratedSince ? ", since" : " and";
  return observers === 0
    ? `seen once${link} ${newestWords(state, observers)}`
    : `seen once by one observer${link} ${NEWEST[state]}`;
}

function oftenSeen({ state, observers, isCorroboratedSince = false }: EvidenceState): string {
  if (observers < 2) {
    const since = state === "corroborated" && isCorroboratedSince ? "since " : "";
    const seen = state === "provisional" && observers === 1 ? "seen by one observer and " : since;
    return `the newest one ${seen}${newestWords(state, observers)}`;
  }
  const seen = `seen by ${observers} independent observers`;
  return state === "corroborated" ? seen : `${seen}, the newest time ${NEWEST[state]}`;
}

function newestWords(state: VerificationState, observers: number): string {
  return state === "provisional" && observers === 0 ? "not yet independently corroborated" : NEWEST[state];
}

const NEWEST: Readonly<Record<VerificationState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
  rejected: "rejected in review",
};
