import { expect, test } from "vitest";
import { VerificationState } from "../enums.ts";
import { type EvidenceState, evidenceStateWords } from "./observation.ts";

const cases: [EvidenceState, string][] = [
  [
    { state: "provisional", observers: 1, citations: 1 },
    "seen once by one observer and not yet corroborated",
  ],
  [{ state: "verified", observers: 1, citations: 1 }, "seen once by one observer and verified in review"],
  [{ state: "corroborated", observers: 3, citations: 9 }, "seen by 3 independent observers"],
  [
    { state: "verified", observers: 3, citations: 9 },
    "seen by 3 independent observers, the newest time verified in review",
  ],
  [
    { state: "provisional", observers: 3, citations: 9 },
    "seen by 3 independent observers, the newest time not yet corroborated",
  ],
  [
    { state: "provisional", observers: 1, citations: 4 },
    "the newest one seen by one observer and not yet corroborated",
  ],
  [{ state: "provisional", observers: 0, citations: 1 }, "seen once and not yet independently corroborated"],
  [{ state: "verified", observers: 0, citations: 1 }, "seen once and verified in review"],
  [{ state: "provisional", observers: 0, citations: 4 }, "the newest one not yet independently corroborated"],
  [{ state: "corroborated", observers: 0, citations: 2 }, "the newest one corroborated by another observer"],
  [
    { state: "corroborated", observers: 1, citations: 1, isCorroboratedSince: true },
    "seen once by one observer, since corroborated by another observer",
  ],
  [
    { state: "corroborated", observers: 1, citations: 2, isCorroboratedSince: true },
    "the newest one since corroborated by another observer",
  ],
  [
    { state: "provisional", observers: 1, citations: 1, isCorroboratedSince: true },
    "seen once by one observer and not yet corroborated",
  ],
];

test.each(cases)("%j", (evidence, words) => {
  expect(evidenceStateWords(evidence)).toBe(words);
});

test("one observer is never called independent observers, and every state has its words", () => {
  for (const state of VerificationState.options)
    for (const citations of [1, 2])
      for (const observers of [0, 1])
        expect(evidenceStateWords({ state, observers, citations })).toMatch(
          /^(?!.*independent observer).*(corroborated|review)/,
        );
});
