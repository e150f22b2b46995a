import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AS_OF,
  anySightings,
  BY_NAME,
  eligibleSightings,
  facts,
  sighting,
} from "../../tests/support/method/facts.ts";
import { DAY_MS, solarDayNumber } from "../kernel/time.ts";
import { asOfAt, dateOfDay, endOfDay } from "./numbers.ts";
import { cityHistories, weekEnds } from "./record-track.ts";
import { cityStandings } from "./standing/standing.ts";
import type { Sighting } from "./types.ts";

test("the last 26 Sundays that are over", () => {
  const at = (text: string) => weekEnds(asOfAt(Date.parse(text), 0)).map(dateOfDay);
  expect(at("2026-03-11T12:00:00Z").at(-1)).toBe("2026-03-08"); // a Wednesday
  expect(at("2026-03-08T23:59:59Z").at(-1)).toBe("2026-03-01"); // that Sunday is not over
  expect(at("2026-03-09T00:00:00Z").at(-1)).toBe("2026-03-08");
  const all = at("2026-03-11T12:00:00Z");
  expect(all).toHaveLength(26);
  expect(all[0]).toBe("2025-09-14"); // 25 weeks earlier
  expect(all.every((date) => new Date(date).getUTCDay() === 0)).toBe(true);
  expect(
    weekEnds(asOfAt(Date.parse("1969-12-31T00:00:00Z"), 0))
      .map(dateOfDay)
      .at(-1),
  ).toBe("1969-12-28");
});

test("points begin with the week in which the city has five eligible records", () => {
  const sundays = weekEnds(AS_OF);
  const age = (day: number | undefined) => AS_OF.day - (day ?? Number.NaN);
  const early = [1, 2, 3, 4].map((id) => facts(id, eligibleSightings(age(sundays[0]))));
  const late = facts(5, eligibleSightings(age(sundays[10])));
  const histories = cityHistories([...early, late], AS_OF);
  expect(histories.get(1)).toHaveLength(16); // Sundays 10 to 25
  expect(histories.get(5)?.[0]).toMatchObject({
    date: dateOfDay(sundays[10] ?? 0),
    observation_count_30d: 6,
  });
  expect(histories.get(1)?.[0]?.observation_count_30d).toBe(0); // its sightings are 70 days old by then
  expect(histories.get(5)?.[5]?.observation_count_30d).toBe(0); // 35 days later
});

test("records that cannot be ranked have no history", () => {
  const five = [1, 2, 3, 4, 5].map((id) => facts(id, eligibleSightings(200)));
  const byName = facts(6, eligibleSightings(200), { industry: BY_NAME });
  const flagged = facts(7, eligibleSightings(200), { flagged: true });
  const thin = facts(8, [sighting(200)]);
  const histories = cityHistories([...five, byName, flagged, thin], AS_OF);
  expect([...histories.keys()].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(cityHistories([], AS_OF).size).toBe(0);
});

test("every point equals the standing of a release as of the end of that Sunday", () => {
  const cities = fc.array(anySightings({ minLength: 25, maxLength: 60 }), { minLength: 6, maxLength: 8 });
  fc.assert(
    fc.property(cities, (city) => {
      const histories = cityHistories(
        city.map((sightings, id) => facts(id, sightings)),
        AS_OF,
      );
      for (const sunday of weekEnds(AS_OF)) {
        const then = endOfDay(sunday, AS_OF);
        const known = (sightings: Sighting[]) => sightings.filter(({ observedAt }) => observedAt <= then.ms);
        const { standings } = cityStandings(
          city.map((sightings, id) => facts(id, known(sightings))),
          then,
        );
        for (const id of city.keys()) {
          const point = histories.get(id)?.find(({ date }) => date === dateOfDay(sunday));
          expect(point?.pps ?? null).toBe(standings.get(id)?.pps);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test("the solar day decides in which week a late visit falls", () => {
  const sunday = Date.parse("2026-03-08T00:00:00Z");
  const offset = -6; // Chicago
  const asOf = asOfAt(sunday + 3 * DAY_MS, -90);
  const mondayUtc = sunday + DAY_MS + 3_600_000; // 01:00 UTC on Monday is still Sunday there
  const day = solarDayNumber(mondayUtc, offset);
  const records = [1, 2, 3, 4, 5].map((id) =>
    facts(
      id,
      ["a", "b", "c"].flatMap((observer) => [
        sighting(0, { observer, day, observedAt: mondayUtc }),
        sighting(0, { observer, day: day - 1, observedAt: mondayUtc - DAY_MS }),
      ]),
    ),
  );
  expect(cityHistories(records, asOf).get(1)?.at(-1)).toEqual({
    date: "2026-03-08",
    pps: 50,
    observation_count_30d: 6,
  });
});
