import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
import { publishedNumber } from "../numbers.ts";
import { cityStandings, compareCityIndex, rankCohort, standingAlone } from "./standing.ts";

describe("cohort", () => {
  const entries = (...raws: number[]) => raws.map((raw, id) => ({ id, raw }));

  test("fewer than five are not ranked", () => {
    expect(rankCohort(entries(10, 20, 30, 40))).toBeUndefined();
    expect(rankCohort([])).toBeUndefined();
  });

  test("five records by hand", () => {
    // median 30; deviations 20 10 0 10 30: 1.4826 x 10 = 14.826, 1.2533 x 14 = 17.5462; spread 17.5462
    // 60 -> 100 / (1 + e^(-30 / 17.5462)) = 100 / 1.180907 = 84.68; 40 -> 63.87 and 20 -> 36.13; 10 -> 24.23
    const cohort = rankCohort(entries(10, 20, 30, 40, 60));
    expect(cohort?.median).toBe(30);
    expect(cohort?.spread).toBeCloseTo(17.5462, 10);
    const published = [0, 1, 2, 3, 4].map((id) =>
      publishedNumber(cohort?.results.get(id)?.pps ?? Number.NaN),
    );
    expect(published).toEqual([24.23, 36.13, 50, 63.87, 84.68]);
    expect([...(cohort?.results.values() ?? [])].map(({ percentile }) => percentile)).toEqual([
      90, 70, 50, 30, 10,
    ]);
  });

  test("MAD decides where most deviate alike, the floor where all are equal", () => {
    // median 20; deviations 20 20 0 20 20: 1.4826 x 20 = 29.652 exceeds 1.2533 x 16 = 20.0528
    expect(rankCohort(entries(0, 0, 20, 40, 40))?.spread).toBeCloseTo(29.652, 10);
    expect(rankCohort(entries(7, 7, 7, 7, 7))?.spread).toBe(5);
  });

  test("an even cohort has the mean of its middle values as median", () => {
    expect(rankCohort(entries(1, 2, 3, 4, 5, 6))?.median).toBe(3.5);
  });

  test("ties share a rank, the next rank follows without a gap, and half of the ties count as below", () => {
    const cohort = rankCohort(entries(50, 40, 40, 40, 10));
    expect([0, 1, 2, 3, 4].map((id) => cohort?.results.get(id)?.rank)).toEqual([1, 2, 2, 2, 3]);
    expect([0, 1, 2, 3, 4].map((id) => cohort?.results.get(id)?.percentile)).toEqual([90, 50, 50, 50, 10]);
  });

  const cohorts = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 5, maxLength: 60 });

  test("scores stay in 0..100, rise with raw, and ranks are dense", () => {
    fc.assert(
      fc.property(cohorts, (raws) => {
        const results = rankCohort(entries(...raws))?.results ?? new Map();
        const byRaw = entries(...raws)
          .sort((a, b) => a.raw - b.raw)
          .map(({ id }) => results.get(id));
        for (const [index, result] of byRaw.entries()) {
          expect(result.pps).toBeGreaterThanOrEqual(0);
          expect(result.pps).toBeLessThanOrEqual(100);
          if (index > 0) expect(result.pps).toBeGreaterThanOrEqual(byRaw[index - 1].pps);
        }
        const ranks = new Set(byRaw.map(({ rank }) => rank));
        expect([...ranks].sort((a, b) => a - b)).toEqual(Array.from(ranks, (_, index) => index + 1));
      }),
    );
  });

  test("percentiles average to 50 and match their definition", () => {
    fc.assert(
      fc.property(cohorts, (raws) => {
        const results = [...(rankCohort(entries(...raws))?.results.values() ?? [])];
        for (const { pps, percentile } of results) {
          const below = results.filter((other) => other.pps < pps).length;
          const ties = results.filter((other) => other.pps === pps).length;
          expect(percentile).toBeCloseTo((100 * (below + ties / 2)) / results.length, 9);
        }
        expect(results.reduce((sum, { percentile }) => sum + percentile, 0) / results.length).toBeCloseTo(
          50,
          8,
        );
      }),
    );
  });

  test("the order of the input does not matter", () => {
    const shuffled = cohorts.chain((raws) => {
      const all = entries(...raws);
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
    });
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        for (const { id } of all)
          expect(rankCohort(other)?.results.get(id)).toEqual(rankCohort(all)?.results.get(id));
      }),
    );
  });
});

describe("standing", () => {
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
    expect([rankingState, reason]).toEqual([
      "outside_ranking",
      expect.stringContaining("dissolved or merged"),
    ]);
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
});
