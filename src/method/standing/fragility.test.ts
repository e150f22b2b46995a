import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AS_OF,
  anySightings,
  eligibleSightings,
  facts,
  sighting,
} from "../../../tests/support/method/facts.ts";
import type { JudgedSighting, RecordFacts } from "../types.ts";
import { countable } from "./counting.ts";
import { lowestWithoutAnyOne } from "./fragility.ts";
import { rankingGate } from "./gate.ts";
import { rawScore } from "./score.ts";
import { cityStandings } from "./standing.ts";
import { judge } from "./verification.ts";

function lowestOf(record: RecordFacts) {
  return lowestWithoutAnyOne(record, countable(record.sightings, AS_OF), AS_OF);
}

/** The definition: every sighting of one principal is taken away, and the rest is judged, counted and scored again. */
function bruteForce({ sightings, industry, flagged }: RecordFacts) {
  const observers = new Set(countable(sightings, AS_OF).map(({ observer }) => observer));
  const remaining = [...observers].map((left) => {
    const rest: JudgedSighting[] = judge(sightings.filter(({ observer }) => observer !== left));
    const counted = countable(rest, AS_OF);
    return {
      raw: rawScore(counted, AS_OF).raw,
      gateHolds: rankingGate(counted, industry, flagged).status === "eligible",
    };
  });
  return {
    raw: observers.size === 0 ? 0 : Math.min(...remaining.map(({ raw }) => raw)),
    gateHolds: observers.size > 0 && remaining.every(({ gateHolds }) => gateHolds),
  };
}

test("leaves each principal out and judges the rest anew, as the definition says", () => {
  fc.assert(
    fc.property(anySightings({ maxLength: 60 }), (sightings) => {
      const record = facts(1, sightings);
      const expected = bruteForce(record);
      const lowest = lowestOf(record);
      expect(lowest.raw).toBeCloseTo(expected.raw, 7);
      expect(lowest.gateHolds).toBe(expected.gateHolds);
    }),
    { numRuns: 400 },
  );
});

test("never exceeds the score with everybody", () => {
  fc.assert(
    fc.property(anySightings({ maxLength: 60 }), (sightings) => {
      const record = facts(1, sightings);
      const { raw } = rawScore(countable(record.sightings, AS_OF), AS_OF);
      expect(lowestOf(record).raw).toBeLessThanOrEqual(raw);
    }),
  );
});

test("the only corroborator takes the corroboration of the others along", () => {
  // Without c, nobody confirms what a and b saw of two assets: 0.7 instead of 0.9 each.
  const seen = [
    sighting(0, { observer: "a", asset: 1 }),
    sighting(0, { observer: "b", asset: 2 }),
    sighting(1, { observer: "c", asset: 1 }),
    sighting(2, { observer: "c", asset: 2 }),
  ];
  const rest = judge(seen.slice(0, 2));
  expect(rest.map(({ state }) => state)).toEqual(["provisional", "provisional"]);
  expect(lowestOf(facts(1, seen)).raw).toBeCloseTo(rawScore(rest, AS_OF).raw, 8);
});

test("what is set aside neither counts nor is left out", () => {
  const seen = eligibleSightings(0);
  const puppets = ["x", "y"].map((observer) => sighting(0, { observer, setAside: "private_trace" }));
  expect(lowestOf(facts(1, [...seen, ...puppets]))).toEqual(lowestOf(facts(1, seen)));
});

test("the gate holds with a fourth observer who leaves enough days", () => {
  const three = facts(1, eligibleSightings(0));
  const four = facts(1, [...eligibleSightings(0), sighting(0, { observer: "d" })]);
  const oneDay = facts(1, [
    ...["a", "b", "c", "d", "e"].map((observer) => sighting(0, { observer })),
    sighting(1, { observer: "a" }), // a alone came on a second day
  ]);
  expect([three, four, oneDay].map((record) => lowestOf(record).gateHolds)).toEqual([false, true, false]);
});

test("a standing shows it in the cohort as it is, and nothing for a record that is not ranked", () => {
  const records = [1, 2, 3, 4, 5].map((id) => facts(id, eligibleSightings(id * 10)));
  const { cohort, standings } = cityStandings([...records, facts(6, [sighting(0)])], AS_OF);
  const [first] = records;
  const { median, spread } = cohort;
  if (first === undefined || median === null || spread === null) throw new Error("a cohort of five");
  const expected = 100 / (1 + Math.exp(-(bruteForce(first).raw - median) / spread));
  expect(standings.get(1)?.ppsWithoutAnyOneObserver).toBeCloseTo(expected, 7);
  expect(standings.get(1)?.gateHoldsWithoutAnyOneObserver).toBe(false);
  expect(standings.get(6)).toMatchObject({
    ppsWithoutAnyOneObserver: null,
    gateHoldsWithoutAnyOneObserver: false,
  });
});
