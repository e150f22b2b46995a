import { expect, test } from "vitest";
import { exampleActivity } from "../../../build-scripts/examples/example-counts.ts";
import { AS_OF, fakeCity, fakeRecord, release } from "../../../tests/support/release/fake-rows.ts";
import { type FakeContent, fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { isoTime, utcDayStart } from "../../kernel/time.ts";
import { machineActivity } from "./machine-activity.ts";

const read = (content: FakeContent) => machineActivity.read(fakeContext(content), {}, {});
const END = utcDayStart(AS_OF);
const activity = exampleActivity(END);

test("every count adds up to the external requests", () => {
  const answer = read({ activity });
  const { counts } = answer;
  expect(counts.external_requests).toBe(1000);
  for (const parts of [counts.transport, counts.client_class, counts.response_status]) {
    const numbers = Object.values(parts).filter((value) => typeof value === "number");
    expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(1000);
  }
  const sum = (list: readonly { readonly requests: number }[]) =>
    list.reduce((total, { requests }) => total + requests, 0);
  expect([sum(answer.traffic_classes), sum(answer.attribution_confidence)]).toEqual([1000, 1000]);
  expect(answer.daily.reduce((total, { external_requests }) => total + external_requests, 0)).toBe(1000);
  expect(answer.daily.map(({ date }) => date)).toHaveLength(answer.window_days);
  expect(answer.week_over_week).toEqual([
    { metric: "external_requests", current: 1000, previous: 800, change: 0.25 },
  ]);
});

test("cities and records have the names that the release gives them, and others are left out", () => {
  const answer = read({
    cities: [fakeCity(1, "Alpha")],
    records: [fakeRecord(1), fakeRecord(2, { mergedInto: "demo_1" })],
    activity: {
      ...activity,
      topCities: [
        { value: "alpha", requests: 9 },
        { value: "gone", requests: 8 },
      ],
      topRecords: [
        { value: fakeRecord(1).publicId, requests: 9 },
        { value: "demo_gone", requests: 8 },
      ],
    },
  });
  expect(answer.most_queried_cities).toEqual([
    { city: "alpha", city_name: "Alpha", name: "Alpha", requests: 9 },
  ]);
  expect(answer.most_queried_entities).toEqual([
    {
      public_id: fakeRecord(1).publicId,
      name: fakeRecord(1).name,
      record_url: `${release.baseUrl}/record/${fakeRecord(1).publicId}/`,
      requests: 9,
    },
  ]);
});

test("without measurement every field is there, the window is empty, and the note says so", () => {
  const answer = read({});
  expect(answer).toMatchObject({
    window_start: isoTime(END),
    window_end: isoTime(END),
    window_days: 0,
    measured_since: null,
    raw_event_retention_days: 90,
    aggregate_retention: "indefinite",
    latest_external_request_at: null,
    daily: [],
    note: expect.stringMatching(/^Nothing was measured .* say nothing about traffic/),
  });
  expect(answer.traffic_classes.map(({ share }) => share)).toEqual([null, null, null, null, null]);
});

test("a short window is explained, and a change needs a week that was measured", () => {
  const short = { ...activity, windowStart: END - 2 * 86_400_000, previousExternalRequests: null };
  const answer = read({ activity: short });
  expect(answer.note).toMatch(/^Counting began on .* shorter than 7 days/);
  expect(answer.week_over_week[0]).toMatchObject({ previous: null, change: null });
  const quiet = read({ activity: { ...activity, previousExternalRequests: 0 } });
  expect(quiet.week_over_week[0]).toMatchObject({ previous: 0, change: null });
});
