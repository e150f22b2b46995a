import { expect, test } from "vitest";
import { fakeEvent } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { latestEvents } from "./latest-events.ts";

const context = fakeContext({
  events: [
    fakeEvent("evt_a_new", 1),
    fakeEvent("evt_a_old", 300),
    fakeEvent("evt_b_newest", 0, { city: "beta" }),
    fakeEvent("evt_b_a", 1, { city: "beta" }),
  ],
});

test("the newest of all cities, each with its city, ties by id", () => {
  const events = latestEvents(context, 3);
  expect(events.map(({ id, city }) => [id, city.name])).toEqual([
    ["evt_b_newest", "Beta"],
    ["evt_a_new", "Alpha"],
    ["evt_b_a", "Beta"],
  ]);
  expect(events[0]).toMatchObject({ detected_at: "2026-06-30T00:00:00Z", city: { slug: "beta" } });
});

test("all there are when there are fewer, and none of a release without events", () => {
  expect(latestEvents(context, 100)).toHaveLength(4);
  expect(latestEvents(fakeContext(), 5)).toEqual([]);
});
