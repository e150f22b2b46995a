import { expect, test } from "vitest";
import { fakeObservation } from "../../tests/support/fake-rows.ts";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { TestTown } from "../snapshot/test-town.ts";
import { evidence } from "./evidence.ts";
import { contextOf } from "./release-store.ts";

const record = { public_id: "demo_1" };

test("rejected rows are in the mix of states and in no other count", () => {
  const { observations, citations } = evidence.read(fakeContext(), record, {});
  expect(observations).toMatchObject({ total_public: 3, total_rows: 4 });
  expect(observations.verification_mix).toEqual([
    { value: "corroborated", count: 3, share: 0.75 },
    { value: "rejected", count: 1, share: 0.25 },
  ]);
  expect(observations.source_mix).toEqual([
    { value: "fleet_cam", count: 1, share: 0.3333 },
    { value: "scout", count: 2, share: 0.6667 },
  ]);
  expect(observations.presence_mix).toEqual([{ value: "location_presence", count: 3, share: 1 }]);
  expect(citations).toMatchObject({ location_presence: 3, mobile_presence: 0, brand_mention: 0 });
});

test("the suggested citation dates by the city's day, and claims what was observed and no more", () => {
  const { citations } = evidence.read(fakeContext(), record, {});
  expect(citations.suggested_citation).toBe(
    'Demonstration data, not a real observation: "Record 1" was physically observed in Alpha 3 times between 2026-03-21 and 2026-06-27. ' +
      "Physical Presence Evidence Service, data as of 2026-06-30, https://presence.test/record/demo_1/",
  );
});

test("without an accepted citation there is none to suggest", () => {
  using town = new TestTown();
  town.city("toronto");
  const rejected = town.record("Alpha");
  const row = town.see(rejected, town.asset(rejected), "a", "2026-04-28T10:00:00Z");
  town.review("reject", row);
  const context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
  const { citations } = evidence.read(context, { public_id: "demo_alpha" }, {});
  expect(citations.suggested_citation).toMatch(/^No accepted physical citation of "Alpha"/);
});

test("shows the 20 latest rows", () => {
  const context = fakeContext({
    observations: Array.from({ length: 30 }, (_, at) => fakeObservation(50 - at, at)),
  });
  const { recent } = evidence.read(context, record, {}).observations;
  expect(recent.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, at) => 50 - at));
});
