import fc from "fast-check";
import { expect, test } from "vitest";
import { EventType, type VerificationState } from "../../contract/enums.ts";
import { type Certainty, eventConfidence, strongestState } from "./confidence.ts";

const STATES = [null, "rejected", "provisional", "corroborated", "verified"] as const;
const certainty = fc.record({
  strongest: fc.constantFrom(...STATES),
  observers: fc.nat({ max: 9 }),
  monthsLooked: fc.nat({ max: 40 }),
  laterChecks: fc.nat({ max: 40 }),
});
const DEFAULT_THRESHOLD = 0.6;

/** At least as certain in every respect. */
const isAtLeast = (a: Certainty, b: Certainty) =>
  STATES.indexOf(a.strongest) >= STATES.indexOf(b.strongest) &&
  a.observers >= b.observers &&
  a.monthsLooked >= b.monthsLooked &&
  a.laterChecks >= b.laterChecks;

test("confidence never falls as certainty rises, and is a hundredth from 0 to 1", () => {
  fc.assert(
    fc.property(fc.constantFrom(...EventType.options), certainty, certainty, (type, a, more) => {
      const b: Certainty = {
        strongest: STATES[Math.max(STATES.indexOf(a.strongest), STATES.indexOf(more.strongest))] ?? null,
        observers: a.observers + more.observers,
        monthsLooked: a.monthsLooked + more.monthsLooked,
        laterChecks: a.laterChecks + more.laterChecks,
      };
      expect(isAtLeast(b, a)).toBe(true);
      const [less, confidence] = [eventConfidence(type, a), eventConfidence(type, b)];
      expect(confidence).toBeGreaterThanOrEqual(less);
      expect(confidence).toBeLessThan(1);
      expect(confidence).toBe(Number(confidence.toFixed(2)));
    }),
  );
});

test("default subscribers get every event that has evidence", () => {
  fc.assert(
    fc.property(fc.constantFrom(...EventType.options), certainty, (type, of) => {
      const hasEvidence = of.strongest !== null && of.strongest !== "rejected";
      expect(eventConfidence(type, of) >= DEFAULT_THRESHOLD).toBe(hasEvidence);
    }),
  );
});

test("each step of certainty is more confidence", () => {
  const seen = (strongest: VerificationState, observers: number) =>
    eventConfidence("new_public_record", { strongest, observers, monthsLooked: 0, laterChecks: 0 });
  expect([
    seen("provisional", 1),
    seen("provisional", 2),
    seen("corroborated", 1),
    seen("corroborated", 2),
    seen("corroborated", 3),
    seen("verified", 1),
    seen("verified", 3),
  ]).toEqual([0.6, 0.65, 0.75, 0.8, 0.85, 0.85, 0.95]);
});

test("the strongest of the states, in any order", () => {
  expect(strongestState([])).toBeNull();
  expect(strongestState(["provisional", "verified", "corroborated"])).toBe("verified");
  expect(strongestState(["corroborated", "provisional"])).toBe("corroborated");
});
