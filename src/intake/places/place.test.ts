import { expect, test } from "vitest";
import { latestDate } from "./place.ts";

const SUMMER = "2026-07-23";
const WINTER = "2026-12-24";

// The hour (UTC) in which the date begins there, of the day before where negative.
test.for([
  ["Chicago", "US", -87.65, SUMMER, 5],
  ["Toronto", "CA", -79.42, SUMMER, 4],
  ["Madrid", "ES", -3.7, SUMMER, -2],
  ["Madrid", "ES", -3.7, WINTER, -1],
  ["Delhi", "IN", 77.2, SUMMER, -5.5],
  ["Kathmandu", "NP", 85.3, SUMMER, -5.75],
  ["Kashgar", "CN", 76, SUMMER, -8],
  ["Auckland", "NZ", 174.8, SUMMER, -12],
  ["Auckland", "NZ", 174.8, WINTER, -13],
  ["Apia", "WS", -171.8, SUMMER, -13],
  ["Kiritimati", "KI", -157.4, SUMMER, -14],
  ["Tarawa", "KI", 173, SUMMER, -12],
  ["Pago Pago", "AS", -170.7, SUMMER, 11],
  ["Honolulu", "US", -157.9, SUMMER, 10],
  ["Reykjavik", "IS", -21.9, SUMMER, 0],
  ["Avalon, in no country", "XA", -75, SUMMER, 4],
] as const)(
  "%s: today's date counts from its first minute on, and tomorrow's does not",
  ([, country, lng, date, hour]) => {
    const midnight = Date.parse(date) + hour * 3_600_000;
    expect(latestDate(midnight, { country, lng }) >= date).toBe(true);
    expect(latestDate(midnight - 3 * 3_600_000, { country, lng }) < date).toBe(true);
  },
);

test("in a country with one zone a date counts from the minute on in which it begins", () => {
  const delhi = { country: "IN", lng: 77.2 };
  expect(latestDate(Date.UTC(2026, 6, 22, 18, 29, 59), delhi)).toBe("2026-07-22");
  expect(latestDate(Date.UTC(2026, 6, 22, 18, 30), delhi)).toBe("2026-07-23");
});
