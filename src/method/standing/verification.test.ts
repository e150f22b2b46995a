import fc from "fast-check";
import { expect, test } from "vitest";
import { AS_OF, anySightings, sighting } from "../../../tests/support/method/facts.ts";
import type { Sighting } from "../types.ts";
import { corroborations, judge, soleCorroborators } from "./verification.ts";

const states = (...sightings: Sighting[]) => judge(sightings).map(({ state }) => state);

test("another observer within 30 days either side corroborates both", () => {
  expect(states(sighting(30), sighting(0, { observer: "b" }))).toEqual(["corroborated", "corroborated"]);
  expect(states(sighting(31), sighting(0, { observer: "b" }))).toEqual(["provisional", "provisional"]);
});

test("the same observer, another asset and a rejected sighting corroborate nothing", () => {
  expect(states(sighting(1), sighting(0))).toEqual(["provisional", "provisional"]);
  expect(states(sighting(1), sighting(0, { observer: "b", asset: 2 }))).toEqual([
    "provisional",
    "provisional",
  ]);
  expect(states(sighting(1), sighting(0, { observer: "b", verdict: "rejected" }))).toEqual([
    "provisional",
    "rejected",
  ]);
});

test("a review outweighs corroboration, and a verified sighting corroborates others", () => {
  expect(states(sighting(1, { verdict: "verified" }), sighting(0, { observer: "b" }))).toEqual([
    "verified",
    "corroborated",
  ]);
});

test("trust follows source and state", () => {
  const [first, second] = judge([sighting(1, { source: "fleet_cam" }), sighting(0, { observer: "b" })]);
  expect(first?.trust).toBe(0.72); // 0.8 x 0.9
  expect(second?.trust).toBe(0.9); // 1.0 x 0.9
});

test("corroboration begins on the day the second of the two was made", () => {
  const found = corroborations([
    sighting(20),
    sighting(5, { observer: "b" }),
    sighting(2, { observer: "a" }),
  ]);
  expect(found.map(({ from }) => AS_OF.day - from)).toEqual([5, 5, 2]);
});

test("agrees with the definition, pair by pair, for any sightings in any order", () => {
  fc.assert(
    fc.property(anySightings(), (sightings) => {
      const partners = (one: Sighting) =>
        sightings.filter(
          (other) =>
            other.asset === one.asset &&
            other.observer !== one.observer &&
            other.verdict !== "rejected" &&
            other.setAside === null &&
            Math.abs(other.day - one.day) <= 30,
        );
      for (const { sighting: one, from } of corroborations(sightings)) {
        const days = partners(one).map(({ day }) => Math.max(day, one.day));
        const isOut = one.verdict === "rejected" || one.setAside !== null;
        expect(from).toBe(isOut || days.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...days));
      }
    }),
  );
});

test("names the only principal that corroborates a sighting, pair by pair, for any sightings", () => {
  fc.assert(
    fc.property(anySightings({ maxLength: 60 }), (sightings) => {
      const found = soleCorroborators(sightings);
      const counting = sightings.filter(
        ({ verdict, setAside }) => verdict !== "rejected" && setAside === null,
      );
      for (const one of counting) {
        const others = counting.filter(
          ({ asset, observer, day }) =>
            asset === one.asset && observer !== one.observer && Math.abs(day - one.day) <= 30,
        );
        const principals = [...new Set(others.map(({ observer }) => observer))];
        expect(found.get(one.id)).toBe(principals.length === 1 ? principals[0] : undefined);
      }
      expect(found.size).toBeLessThanOrEqual(counting.length);
    }),
  );
});
