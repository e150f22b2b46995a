import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AS_OF,
  anySightings,
  BY_NAME,
  DECLARED,
  eligibleSightings,
  sighting,
} from "../../../tests/support/method/facts.ts";
import { SourceType, VerificationState } from "../../contract/enums.ts";
import {
  countable,
  countEvidence,
  EvidenceWindow,
  independent,
  industryState,
  rankingGate,
  trustWeight,
} from "./counting.ts";

describe("counting", () => {
  describe("trust", () => {
    test("every source and state, by hand", () => {
      const table = SourceType.options.map((source) => [
        source,
        ...VerificationState.options.map((state) => trustWeight(source, state)),
      ]);
      expect(VerificationState.options).toEqual(["provisional", "corroborated", "verified", "rejected"]);
      expect(table).toEqual([
        ["fleet_cam", 0.56, 0.72, 0.8, 0],
        ["scout", 0.7, 0.9, 1, 0],
        ["telematics_api", 0.42, 0.54, 0.6, 0],
        ["seed_survey", 0.35, 0.45, 0.5, 0],
      ]);
    });
  });

  describe("counting", () => {
    test("the window W is 365 days: ages 0 to 364", () => {
      const kept = countable([sighting(0), sighting(364), sighting(365)], AS_OF);
      expect(kept.map(({ day }) => AS_OF.day - day)).toEqual([364, 0]);
    });

    test("what was observed on a later day than that of as_of does not count", () => {
      const today = sighting(0);
      expect(countable([sighting(-1), today], AS_OF)).toEqual([today]);
    });

    test("one sighting counts per observer and day, the lowest row", () => {
      const lowest = sighting(3, { id: 9 });
      const next = sighting(3, { id: 10 });
      const other = sighting(3, { id: 11, observer: "b" });
      const nextDay = sighting(2, { id: 12 });
      expect(independent([next, lowest, nextDay, other])).toEqual([lowest, other, nextDay]);
    });

    test("cells of mobile assets say only the city, and count for no breadth", () => {
      const wide = { assetType: "vehicle_wrap", cell: "852b9bc3fffffff", fine: false } as const;
      const window = new EvidenceWindow();
      for (const seen of [sighting(1), sighting(2, wide)]) window.add(seen);
      expect([window.cells, window.observations]).toEqual([1, 2]);
      window.remove(sighting(2, wide));
      expect([window.cells, window.observations]).toEqual([1, 1]);
    });

    test("a rejected sighting leaves room for the next one of that day", () => {
      const rejected = sighting(3, { id: 1, verdict: "rejected" });
      const next = sighting(3, { id: 2 });
      expect(independent([rejected, next])).toEqual([next]);
    });

    test("the order of the input does not matter", () => {
      const shuffled = anySightings().chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      );
      fc.assert(
        fc.property(shuffled, ([all, other]) => {
          expect(countable(other, AS_OF)).toEqual(countable(all, AS_OF));
        }),
      );
    });

    test("a moving window counts what a fixed list of what is left counts", () => {
      fc.assert(
        fc.property(anySightings(), fc.nat(), (sightings, cut) => {
          const window = new EvidenceWindow();
          const leaving = sightings.slice(0, cut % (sightings.length + 1));
          for (const each of sightings) window.add(each);
          for (const each of leaving) window.remove(each);
          const { observers, observations, days, cells, assets } = countEvidence(
            sightings.slice(leaving.length),
          );
          expect(window.observations).toBe(observations);
          expect([window.observers, window.days, window.cells]).toEqual([observers, days, cells]);
          expect(window.assets).toBe(assets);
        }),
      );
    });

    test("nothing counts as nothing", () => {
      const { observers, observations } = countEvidence(countable([], AS_OF));
      expect([observers, observations]).toEqual([0, 0]);
    });
  });
});

describe("gate", () => {
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
});
