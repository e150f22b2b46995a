import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import { outageDelay, RETRY_DELAYS_MS, retryAfterMs, retryDelay } from "./attempt.ts";

const tries = fc.integer({ min: 1, max: 30 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("a try comes after its delay and at most a fifth later, and after the last there is none", () => {
  fc.assert(
    fc.property(tries, chance, (n, luck) => {
      const delay = retryDelay(n, luck);
      const planned = RETRY_DELAYS_MS[n - 1];
      if (planned === undefined) return delay === undefined;
      return delay !== undefined && delay >= planned && delay <= planned * 1.2;
    }),
  );
  expect(RETRY_DELAYS_MS).toHaveLength(9);
  expect(retryDelay(1, 0)).toBe(5000);
  expect(retryDelay(9, 0)).toBe(DAY_MS);
  expect(retryDelay(10, 0)).toBeUndefined();
});

test("delays grow, whatever the chance", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), chance, chance, (n, one, other) => {
      return (retryDelay(n, one) ?? 0) < (retryDelay(n + 1, other) ?? 0);
    }),
  );
});

test("a receiver may ask for more time, up to a day, and not for less", () => {
  expect(retryDelay(1, 0, HOUR_MS)).toBe(HOUR_MS);
  expect(retryDelay(1, 0, 1)).toBe(5000);
  expect(retryDelay(1, 0, 1000 * DAY_MS)).toBe(DAY_MS);
});

test("during an outage it is asked every half hour at least, and never given up", () => {
  fc.assert(
    fc.property(tries, chance, (n, luck) => {
      const delay = outageDelay(n, luck);
      return delay >= 5000 && delay <= 0.6 * HOUR_MS;
    }),
  );
});

test("Retry-After is seconds or a date; anything else is not there", () => {
  const now = Date.parse("2026-05-01T12:00:00Z");
  expect(retryAfterMs("120", now)).toBe(120_000);
  expect(retryAfterMs("Fri, 01 May 2026 13:00:00 GMT", now)).toBe(HOUR_MS);
  expect(retryAfterMs("Fri, 01 May 2020 13:00:00 GMT", now)).toBe(0);
  for (const junk of [null, "", "soon", "-5", "1e9", "99999999999999999999"])
    expect(retryAfterMs(junk, now) ?? 0).toBe(0);
});
