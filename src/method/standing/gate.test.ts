import { expect, test } from "vitest";
import { BY_NAME, DECLARED, eligibleSightings, sighting } from "../../../tests/support/method/facts.ts";
import { industryState, rankingGate } from "./gate.ts";

test("three observers, five observations, two days and an authoritative industry are enough", () => {
  const gate = rankingGate(eligibleSightings(0).slice(0, 5), DECLARED, false);
  expect(gate).toEqual({
    status: "eligible",
    observers: { current: 3, required: 3, met: true },
    observations: { current: 5, required: 5, met: true },
    days: { current: 2, required: 2, met: true },
    missing: [],
  });
});

test("each shortfall is named", () => {
  expect(rankingGate([], BY_NAME, false)).toMatchObject({
    status: "evidence_building",
    missing: [
      "independent_observers",
      "independent_observations",
      "observation_days",
      "industry_classification_review",
    ],
  });
  const oneDay = ["a", "b", "c", "d", "e"].map((observer) => sighting(0, { observer }));
  expect(rankingGate(oneDay, DECLARED, false).missing).toEqual(["observation_days"]);
  expect(rankingGate(eligibleSightings(0).slice(0, 4), DECLARED, false).missing).toEqual([
    "independent_observers",
    "independent_observations",
  ]);
});

test("a flag holds any record for review", () => {
  expect(rankingGate(eligibleSightings(0), DECLARED, true).status).toBe("integrity_review");
  expect(rankingGate(eligibleSightings(0), DECLARED, true).missing).toEqual(["integrity_review"]);
  expect(rankingGate([], DECLARED, true).status).toBe("integrity_review");
});

/** `busy` visits by one observer and one visit each by `others` more. */
const visits = (busy: number, others: number) => [
  ...Array.from({ length: busy }, (_, age) => sighting(age)),
  ...Array.from({ length: others }, (_, index) => sighting(0, { observer: `other ${index}` })),
];

test("no number of observations by one observer unranks a record", () => {
  expect(rankingGate(visits(9, 2), DECLARED, false).status).toBe("eligible");
  expect(rankingGate(visits(500, 2), DECLARED, false).status).toBe("eligible");
  expect(rankingGate(visits(20, 1), DECLARED, false).status).toBe("evidence_building");
});

test("only a name rule is under review", () => {
  expect(industryState(BY_NAME)).toBe("review");
  expect(industryState(DECLARED)).toBe("declared");
  expect(industryState({ code: null, method: "unclassified", authoritative: false })).toBe("unclassified");
});
