import { expect, test } from "vitest";
import { fakeObservation, fakeRecord } from "../../tests/support/fake-rows.ts";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { evidence } from "./evidence.ts";

const record = { public_id: "demo_1" };

test("mixes are shares of all listed rows, citations leave the rejected ones out", () => {
  const { observations, citations } = evidence.read(fakeContext(), record, {});
  expect(observations.source_mix).toEqual([
    { value: "fleet_cam", count: 1, share: 0.3333 },
    { value: "scout", count: 2, share: 0.6667 },
  ]);
  expect(observations.presence_mix).toEqual([{ value: "location_presence", count: 3, share: 1 }]);
  expect(citations).toMatchObject({ location_presence: 2, mobile_presence: 0, brand_mention: 0 });
});

test("the suggested citation claims what was observed and no more", () => {
  const { citations } = evidence.read(fakeContext(), record, {});
  expect(citations.suggested_citation).toBe(
    'Demonstration data, not a real observation: "Record 1" was physically observed in Alpha 2 times between 2026-03-22 and 2026-06-28. ' +
      "Physical Presence Evidence Service, data as of 2026-06-30, https://presence.test/record/demo_1/",
  );
});

test("without a date there is no citation to suggest", () => {
  const context = fakeContext({ records: [fakeRecord(1, { firstObserved: null, lastObserved: null })] });
  expect(evidence.read(context, record, {}).citations.suggested_citation).toMatch(
    /^No accepted physical citation of "Record 1"/,
  );
});

test("shows the 20 latest rows", () => {
  const context = fakeContext({
    observations: Array.from({ length: 30 }, (_, at) => fakeObservation(50 - at, at)),
  });
  const { recent } = evidence.read(context, record, {}).observations;
  expect(recent.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, at) => 50 - at));
});
