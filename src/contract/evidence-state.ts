import type { VerificationState } from "./enums.ts";

/** What is known of a record's accepted observations. Counts are at least 0. */
export interface EvidenceState {
  /** Of the newest accepted observation. */
  readonly state: VerificationState;
  /** Independent observers of the record; 0 or 1 also where more of them lie outside the counting window. */
  readonly observers: number;
  /** Accepted observations of the record. */
  readonly citations: number;
}

/** How certain the evidence is: a clause that follows a colon, for example `seen by 3 independent observers`. */
export function evidenceStateWords(evidence: EvidenceState): string {
  return evidence.citations === 1 ? onceSeen(evidence.state) : oftenSeen(evidence);
}

function onceSeen(state: VerificationState): string {
  return `seen once by one observer and ${NEWEST[state]}`;
}

function oftenSeen({ state, observers }: EvidenceState): string {
  if (observers < 2)
    return `the newest one ${state === "provisional" ? "seen by one observer and " : ""}${NEWEST[state]}`;
  const seen = `seen by ${observers} independent observers`;
  return state === "corroborated" ? seen : `${seen}, the newest time ${NEWEST[state]}`;
}

const NEWEST: Readonly<Record<VerificationState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
  rejected: "rejected in review",
};
