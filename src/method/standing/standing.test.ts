import fc from "fast-check";
import { expect, test } from "vitest";
import { expectConsistent } from "../../../tests/support/method/consistency.ts";
import {
  AS_OF,
  anySightings,
  BY_NAME,
  DECLARED,
  eligibleSightings,
  facts,
  sighting,
} from "../../../tests/support/method/facts.ts";
import { cityStandings, compareCityIndex, standingAlone } from "./standing.ts";

test("five eligible records are ranked, the rest wait with a reason", () => {
  const ranked = [1, 2, 3, 4, 5].map((id) => facts(id, eligibleSightings(id * 10)));
  const waiting = facts(6, [sighting(0)], { industry: BY_NAME });
  const flagged = facts(7, eligibleSightings(0), { flagged: true });
  const { cohort, standings } = cityStandings([...ranked, waiting, flagged], AS_OF);
  expect(cohort.size).toBe(5);
  expect(standings.get(1)).toMatchObject({
    rank: 1,
    percentile: 90,
    cohortSize: 5,
    scoreState: "ranked",
    rankingState: "ranked",
    reason: "Rank 1 among 5 eligible records of the city.",
    observers: 3,
    observations: 6,
    days: 2,
  });
  expect(standings.get(3)?.pps).toBe(50); // the middle one is the median
  expect(standings.get(6)).toMatchObject({
    pps: null,
    rank: null,
    cohortSize: null,
    scoreState: "provisional",
    rankingState: "insufficient_evidence",
    reason:
      "Not ranked yet: 1 of 3 independent observers, 1 of 5 countable observations, 1 of 2 observation days, the industry classification awaits review.",
  });
  expect(standings.get(6)?.provisionalPps).toBeGreaterThan(0);
  expect(standings.get(7)).toMatchObject({ rankingState: "integrity_review", pps: null, cohortSize: null });
  expect(standings.get(7)?.reason).toContain("flagged");
});

test("four eligible records stay without pps, rank and percentile, and the reason says so", () => {
  const { cohort, standings } = cityStandings(
    [1, 2, 3, 4].map((id) => facts(id, eligibleSightings(id))),
    AS_OF,
  );
  expect(cohort).toEqual({ size: 4, median: null, spread: null });
  expect(standings.get(2)).toMatchObject({ pps: null, rank: null, percentile: null, cohortSize: 4 });
  expect(standings.get(2)).toMatchObject({ rankingState: "awaiting_cohort", gate: { status: "eligible" } });
  expect(standings.get(2)?.reason).toContain("the city has 4 eligible records, and a ranking needs 5");
});

test("an empty city has an empty cohort", () => {
  const { cohort, standings } = cityStandings([], AS_OF);
  expect(cohort).toEqual({ size: 0, median: null, spread: null });
  expect(standings.size).toBe(0);
});

test("rank orders the ranked, what remains without any one observer those of a rank, provisional score the rest, public id breaks ties", () => {
  const row = (
    publicId: string,
    rank: number | null,
    provisionalPps: number,
    ppsWithoutAnyOneObserver: number | null = null,
  ) => ({ publicId, rank, provisionalPps, ppsWithoutAnyOneObserver });
  const rows = [
    row("g", null, 10),
    row("e", null, 30),
    row("c", 2, 50, 20),
    row("d", 2, 50, 20),
    row("b", 2, 45, 30),
    row("a", 1, 40, 10),
    row("f", null, 10),
  ];
  expect(
    rows
      .sort(compareCityIndex)
      .map(({ publicId }) => publicId)
      .join(""),
  ).toBe("abcdefg");
});

test("state, gate, reason and what is missing never contradict each other", () => {
  const record = fc.record({
    sightings: anySightings({ minLength: 6 }),
    industry: fc.constantFrom(DECLARED, BY_NAME),
    flagged: fc.constantFrom(false, false, true),
  });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 9 }), record, (city, apart) => {
      const records = city.map(({ sightings, ...changes }, id) => facts(id, sightings, changes));
      const { standings } = cityStandings(records, AS_OF);
      for (const standing of standings.values()) expectConsistent(standing);
      const { sightings, ...changes } = apart;
      const alone = standingAlone(facts(99, sightings, changes), AS_OF);
      expectConsistent(alone);
      expect(alone).toMatchObject({ rankingState: "outside_ranking", rank: null, cohortSize: null });
    }),
    { numRuns: 60 },
  );
});

test("a dissolved record that has all the evidence lacks being active", () => {
  const { gate, rankingState, reason } = standingAlone(facts(1, eligibleSightings(0)), AS_OF);
  expect(gate).toMatchObject({ status: "outside_ranking", missing: ["active_record"] });
  expect([rankingState, reason]).toEqual(["outside_ranking", expect.stringContaining("dissolved or merged")]);
});

test("the order of the records does not matter", () => {
  const cities = fc.array(anySightings({ minLength: 8 }), { minLength: 6, maxLength: 9 });
  fc.assert(
    fc.property(cities, (city) => {
      const records = city.map((sightings, id) => facts(id, sightings));
      const forward = cityStandings(records, AS_OF);
      const backward = cityStandings(records.toReversed(), AS_OF);
      expect(backward.cohort).toEqual(forward.cohort);
      for (const { id } of records) expect(backward.standings.get(id)).toEqual(forward.standings.get(id));
    }),
    { numRuns: 40 },
  );
});
