import { expect, test } from "vitest";
import { fakeCity, fakeObservation, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { contextOf } from "../release-store.ts";
import { methodologyFigures } from "./methodology.ts";

test("every state and every tier is counted, also those that have none", () => {
  const context = fakeContext({
    cities: [fakeCity(1, "Alpha"), fakeCity(2, "Beta")],
    records: [fakeRecord(1), fakeRecord(2, { isSynthetic: false }), fakeRecord(3, { mergedInto: "demo_1" })],
    observations: [
      fakeObservation(7, 2, { state: "verified" }),
      fakeObservation(8, 2, { state: "verified" }),
      fakeObservation(9, 2, { state: "rejected" }),
    ],
  });
  expect(methodologyFigures(context)).toMatchObject({
    records: 2,
    syntheticRecords: 1,
    observations: 6, // those of the records
    rows: 3, // all that are listed, a rejected one among them
    states: [
      { state: "provisional", observations: 0 },
      { state: "corroborated", observations: 0 },
      { state: "verified", observations: 2 },
      { state: "rejected", observations: 1 },
    ],
    tiers: [
      { tier: "none", cities: 0 },
      { tier: "seed", cities: 0 },
      { tier: "building", cities: 2 },
      { tier: "dense", cities: 0 },
    ],
  });
});

test("of a real release: what was seen is counted once, and a small cohort has no median", () => {
  using town = new TestTown();
  town.city("toronto");
  for (const name of ["Alpha", "Bravo"]) {
    const record = town.record(name);
    const asset = town.asset(record);
    town.see(record, asset, "a", "2026-04-28T10:00:00Z");
    town.see(record, asset, "b", "2026-04-30T15:00:00Z");
  }
  const snapshot = town.snapshot("2026-05-20T12:00:00Z");
  const figures = methodologyFigures(contextOf(snapshot));
  expect(figures).toMatchObject({ records: 2, observations: 4, rows: 4 });
  expect(figures.states.find(({ state }) => state === "corroborated")?.observations).toBe(4);
  expect(figures.cohorts).toMatchObject([
    { slug: "toronto", records: 2, dissolved: 0, median: null, spread: null },
  ]);
});

test("a precision stands with its interval, or is not yet known", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  const asset = town.asset(record);
  const rows = Array.from({ length: 30 }, (_, at) =>
    town.see(record, asset, `o${at}`, "2026-04-28T10:00:00Z"),
  );
  const matchingOf = (figures: ReturnType<typeof methodologyFigures>) =>
    figures.precisions.find(({ label }) => label === "Matching precision");
  const figures = () => methodologyFigures(contextOf(town.snapshot("2026-05-20T12:00:00Z")));
  for (const row of rows.slice(1)) town.review("verify", row);
  expect(matchingOf(figures())).toMatchObject({ drawn: 30, reviewed: 29, known: null });
  town.review("verify", rows[0] ?? 0);
  expect(matchingOf(figures())).toMatchObject({
    reviewed: 30,
    known: { precision: 1, low: 0.8865, high: 1 },
  });
});
