import type { EventType, VerificationState } from "../../contract/enums.ts";
import { PARAMETERS } from "../numbers.ts";

/** How certain an event is, by what is published now. */
export interface Certainty {
  readonly strongest: VerificationState | null; // of the evidence that still counts; null without any
  readonly observers: number; // independent ones of that evidence
  readonly monthsLooked: number; // later months in which its cell was looked at
  readonly laterChecks: number; // that found nothing either
}

const { events } = PARAMETERS;

const BY_STATE: Readonly<Record<VerificationState, number>> = {
  rejected: 0,
  provisional: events.provisionalConfidence,
  corroborated: events.corroboratedConfidence,
  verified: events.verifiedConfidence,
};

/** An event's confidence, 0..1: never less where any part of its certainty is more. 0 where no evidence counts any more. */
export function eventConfidence(type: EventType, certainty: Certainty): number {
  const { strongest, observers, monthsLooked, laterChecks } = certainty;
  if (strongest === null || strongest === "rejected") return 0;
  if (type === "stale_asset") return stepped(events.staleConfidence, monthsLooked, events.countedMonths);
  if (type === "digital_gap_detected")
    return stepped(events.gapConfidence, laterChecks, events.countedChecks);
  return stepped(BY_STATE[strongest], observers - 1, events.countedObservers);
}

/** Rounded, because a sum of hundredths as doubles is no hundredth. */
function stepped(start: number, steps: number, most: number): number {
  return Math.round((start + events.confidenceStep * Math.min(Math.max(steps, 0), most)) * 100) / 100;
}

const STRENGTH: readonly VerificationState[] = ["rejected", "provisional", "corroborated", "verified"];

/** The strongest state; null of none. */
export function strongestState(states: Iterable<VerificationState>): VerificationState | null {
  let strongest = -1;
  for (const state of states) strongest = Math.max(strongest, STRENGTH.indexOf(state));
  return STRENGTH[strongest] ?? null;
}
