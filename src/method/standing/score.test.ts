import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AS_OF,
  anySightings,
  eligibleSightings,
  facts,
  sighting,
} from "../../../tests/support/method/facts.ts";
import type { JudgedSighting, RecordFacts } from "../types.ts";
import { countable, rankingGate } from "./counting.ts";
import { lowestWithoutAnyOne, rawScore } from "./score.ts";
import { cityStandings } from "./standing.ts";
import { judge } from "./verification.ts";

describe("score", () => {
  test("one verified scout's sighting today, by hand", () => {
    // recency 0.5^0 = 1; volume 1 - e^(-1/6) = 0.1535182751; independence 1 - e^(-1/3) = 0.2834686894
    // breadth and assets 1 - e^-1 = 0.6321205588
    // 25 + 30 x 0.1535182751 + 35 x 0.2834686894 + 10 x 0.6321205588 = 25 + 4.605548254 + 9.921404130 + 6.321205588
    const { raw, parts } = rawScore(judge([sighting(0, { verdict: "verified" })]), AS_OF);
    expect(raw).toBeCloseTo(45.848157971, 8);
    expect(parts.recency).toEqual({ value: 1, weight: 0.25, points: 25 });
    expect(parts.volume).toEqual({ value: 0.153518275, weight: 0.3, points: 4.605548253 });
    expect(parts.breadth).toEqual({ value: 0.632120559, weight: 0.05, points: 3.160602794 });
    expect(parts.independence.points).toBeCloseTo(9.92140413, 8);
  });

  test("two sightings of different age, by hand", () => {
    // A verified scout 90 days ago and a provisional fleet camera 60 days ago, two observers, cells and assets:
    // recency 0.5^(60/60) = 0.5; volume weight 1 x 0.5 + 0.56 x 0.5^(60/90) = 0.5 + 0.352777894 = 0.852777894
    // volume 1 - e^(-0.142129649) = 0.132491; independence 1 - e^(-2/3) = 0.486582881; breadth and assets 1 - e^-2 = 0.864664717
    // 12.5 + 30 x 0.132491 + 35 x 0.486582881 + 10 x 0.864664717 = 12.5 + 3.97474 + 17.03040 + 8.64665 = 42.15178
    const two = judge([
      sighting(90, { verdict: "verified" }),
      sighting(60, { source: "fleet_cam", observer: "b", asset: 2, cell: "882b9bc003fffff" }),
    ]);
    const { raw, parts } = rawScore(two, AS_OF);
    expect(parts.recency.value).toBe(0.5);
    expect(parts.volume.value).toBeCloseTo(0.132491, 5);
    expect(raw).toBeCloseTo(42.15178, 4);
  });

  test("a temporary sign lifts every component by a quarter of what a storefront does", () => {
    const temporary = rawScore(judge([sighting(0, { verdict: "verified", assetType: "temp_sign" })]), AS_OF);
    // recency 0.25; volume 1 - e^(-0.25/6) = 0.040810549; breadth and assets 1 - e^-0.25 = 0.221199217;
    // independence 1 - e^(-0.25/3) = 0.079955586: 6.25 + 1.22431647 + 2 x 1.105996085 + 2.79844551
    expect(temporary.raw).toBeCloseTo(12.48475415, 6);
    const signs = Array.from({ length: 60 }, (_, index) =>
      sighting(0, { assetType: "temp_sign", asset: index, observer: String(index % 6), cell: String(index) }),
    );
    const shop = ["a", "b", "c"].map((observer) => sighting(3, { observer }));
    expect(rawScore(countable(judge(signs), AS_OF), AS_OF).raw).toBeLessThan(
      rawScore(countable(judge(shop), AS_OF), AS_OF).raw,
    );
  });

  test("a temporary sign beside a storefront of the same observer, cell and day adds only an asset", () => {
    const storefront = sighting(0);
    const temporary = sighting(0, { id: 1, asset: 2, assetType: "temp_sign" });
    const scoreOf = (...sightings: (typeof storefront)[]) =>
      rawScore(countable(judge(sightings), AS_OF), AS_OF).raw;
    expect(scoreOf(temporary, storefront)).toBe(scoreOf(storefront));
    expect(scoreOf(temporary, sighting(0, { observer: "b" }))).toBeGreaterThan(scoreOf(storefront));
  });

  test("size alone lifts the raw score by less than 4 points", () => {
    const visits = (assets: number) =>
      judge(
        eligibleSightings(0).map((seen, index) => ({
          ...seen,
          verdict: "verified" as const,
          asset: index % assets,
        })),
      ).map((seen) => ({ ...seen, cell: String(seen.asset) }));
    const [small, large] = [rawScore(visits(1), AS_OF).raw, rawScore(visits(6), AS_OF).raw];
    expect(large - small).toBeGreaterThan(3);
    expect(large - small).toBeLessThan(4);
  });

  test("no sighting scores nothing", () => {
    const { raw, parts } = rawScore([], AS_OF);
    expect(raw).toBe(0);
    expect(Object.values(parts).map(({ value }) => value)).toEqual([0, 0, 0, 0, 0]);
  });

  test("the score stays in 0..100 and is the sum of its points", () => {
    fc.assert(
      fc.property(anySightings(), (sightings) => {
        const { raw, parts } = rawScore(countable(judge(sightings), AS_OF), AS_OF);
        expect(raw).toBeGreaterThanOrEqual(0);
        expect(raw).toBeLessThan(100);
        const points = Object.values(parts).map((part) => part.points);
        expect(points.reduce((sum, each) => sum + each, 0)).toBeCloseTo(raw, 7);
      }),
    );
  });

  test("one more visit on a day of its own never lowers the score", () => {
    fc.assert(
      fc.property(anySightings(), fc.nat({ max: 364 }), (sightings, age) => {
        const before = rawScore(countable(judge(sightings), AS_OF), AS_OF).raw;
        const more = [...sightings, sighting(age, { id: 10_000, observer: "new", asset: 1 })];
        expect(rawScore(countable(judge(more), AS_OF), AS_OF).raw).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("the order of the input does not matter", () => {
    const shuffled = anySightings().chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(rawScore(judge(other), AS_OF).raw).toBe(rawScore(judge(all), AS_OF).raw);
      }),
    );
  });
});

describe("fragility", () => {
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
});
