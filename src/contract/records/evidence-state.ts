import type { VerificationState } from "../enums.ts";

/** What is known of a record's accepted observations. Counts are at least 0. */
export interface EvidenceState {
  /** Of the newest accepted observation. */
  readonly state: VerificationState;
  /** Independent observers of the record; 0 or 1 also where more of them lie outside the counting window. */
  readonly observers: number;
  /** Accepted observations of the record. */
  readonly citations: number;
  /** Whether another observer corroborated them only after the moment that the counts are of. */
  readonly isCorroboratedSince?: boolean;
}

/** How certain the evidence is: a clause that follows a colon, for example `seen by 3 independent observers`. */
export function evidenceStateWords(evidence: EvidenceState): string {
  return evidence.citations === 1 ? onceSeen(evidence) : oftenSeen(evidence);
}

function onceSeen({ state, isCorroboratedSince = false }: EvidenceState): string {
  const link = state === "corroborated" && isCorroboratedSince ? ", since" : " and";
  return `seen once by one observer${link} ${NEWEST[state]}`;
}

function oftenSeen({ state, observers, isCorroboratedSince = false }: EvidenceState): string {
  if (observers < 2) {
    const since = state === "corroborated" && isCorroboratedSince ? "since " : "";
    return `the newest one ${state === "provisional" ? "seen by one observer and " : since}${NEWEST[state]}`;
  }
  const seen = `seen by ${observers} independent observers`;
  return state === "corroborated" ? seen : `${seen}, the newest time ${NEWEST[state]}`;
}

const NEWEST: Readonly<Record<VerificationState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
  rejected: "rejected in review",
};
