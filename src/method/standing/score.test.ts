import fc from "fast-check";
import { expect, test } from "vitest";
import { AS_OF, anySightings, sighting } from "../../testing/method/facts.ts";
import { countable } from "./counting.ts";
import { rawScore } from "./score.ts";
import { judge } from "./verification.ts";

test("one verified scout's sighting today, by hand", () => {
  // recency 0.5^0 = 1; volume 1 - e^(-1/6) = 0.1535182751; the rest 1 - e^(-1/3) = 0.2834686894
  // 25 + 30 x 0.1535182751 + (10 + 10 + 25) x 0.2834686894 = 25 + 4.605548254 + 12.756091024 = 42.361639278
  const { raw, parts } = rawScore(judge([sighting(0, { verdict: "verified" })]), AS_OF);
  expect(raw).toBeCloseTo(42.361639278, 8);
  expect(parts.recency).toEqual({ value: 1, weight: 0.25, points: 25 });
  expect(parts.volume).toEqual({ value: 0.153518275, weight: 0.3, points: 4.605548253 });
  expect(parts.breadth).toEqual({ value: 0.283468689, weight: 0.1, points: 2.834686894 });
  expect(parts.independence.points).toBeCloseTo(7.086717236, 8);
});

test("two sightings of different age, by hand", () => {
  // A verified scout 90 days ago and a provisional fleet camera 60 days ago, two observers, cells and assets:
  // recency 0.5^(60/60) = 0.5; volume weight 1 x 0.5 + 0.56 x 0.5^(60/90) = 0.5 + 0.352777894 = 0.852777894
  // volume 1 - e^(-0.142129649) = 0.132491; the rest 1 - e^(-2/3) = 0.486582881
  // 12.5 + 30 x 0.132491 + 45 x 0.486582881 = 12.5 + 3.97474 + 21.89623 = 38.37097
  const two = judge([
    sighting(90, { verdict: "verified" }),
    sighting(60, { source: "fleet_cam", observer: "b", asset: 2, cell: "882b9bc003fffff" }),
  ]);
  const { raw, parts } = rawScore(two, AS_OF);
  expect(parts.recency.value).toBe(0.5);
  expect(parts.volume.value).toBeCloseTo(0.132491, 5);
  expect(raw).toBeCloseTo(38.37097, 4);
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
