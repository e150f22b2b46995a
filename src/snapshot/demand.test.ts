import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import type { DemandInput } from "./demand.ts";
import { openSnapshot } from "./snapshot.ts";

const AS_OF = "2026-05-01T13:00:00Z";
const city = (slug: string, dailyClients: number) => ({
  city: slug,
  dailyClients,
  searches: 40,
  searchesWithoutResult: 4,
  alertSubscriptions: 1,
});
const DEMAND: DemandInput = {
  windowEnd: Date.parse("2026-05-01T00:00:00Z"),
  windowDays: 30,
  cities: [city("toronto", 10), city("guelph", 9), city("atlantis", 900)],
};

function town() {
  const town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  return town;
}

test("the same demand gives the same bytes, another one another release, and its hash alone the same id", () => {
  using built = town();
  const size = built.seal();
  const one = built.build(size, AS_OF, { demand: DEMAND });
  const again = built.build(size, AS_OF, { demand: structuredClone(DEMAND) });
  expect(readFileSync(again.path).equals(readFileSync(one.path))).toBe(true);
  const other = built.build(size, AS_OF, { demand: { ...DEMAND, windowDays: 29 } });
  const none = built.build(size, AS_OF);
  expect(new Set([one.releaseId, other.releaseId, none.releaseId]).size).toBe(3);
  const snapshot = openSnapshot(one.path);
  const { demandHash } = snapshot.release();
  snapshot.close();
  expect(demandHash).toMatch(/^[0-9a-f]{64}$/);
  expect(built.build(size, AS_OF, { demandHash }).releaseId).toBe(one.releaseId);
});

test("a city with fewer than 10 clients, or that the release does not have, is not in its file", () => {
  using built = town();
  const size = built.seal();
  const { path } = built.build(size, AS_OF, { demand: DEMAND });
  const snapshot = openSnapshot(path);
  const { windowEnd, windowDays } = DEMAND;
  expect(snapshot.demand("toronto")).toEqual({ ...city("toronto", 10), windowEnd, windowDays });
  expect(snapshot.demand("guelph")).toBeUndefined();
  expect(snapshot.demand("atlantis")).toBeUndefined();
  snapshot.close();
  expect(readFileSync(path, "latin1")).not.toContain("atlantis");
  const few = openSnapshot(
    built.build(size, AS_OF, { demand: { ...DEMAND, cities: [city("toronto", 9)] } }).path,
  );
  expect(few.demand("toronto")).toBeUndefined();
  few.close();
});
