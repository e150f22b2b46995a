import { expect, test } from "vitest";
import { fakeObservation } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { observations } from "./observations.ts";

const rows = Array.from({ length: 60 }, (_, at) =>
  fakeObservation(100 - at, at, at === 1 ? { state: "rejected", trust: 0 } : {}),
);
const context = fakeContext({ observations: rows });
const record = { public_id: "demo_1" };

test("lists 50 rows by default, and as many as asked for", () => {
  expect(observations.read(context, record, {})).toMatchObject({
    count: 50,
    total_count: 60,
    has_more: true,
  });
  expect(observations.read(context, record, { limit: "2" }).observations.map(({ id }) => id)).toEqual([
    100, 99,
  ]);
});

test("`since` compares the time of publication, inclusively", () => {
  const since = (value: string) =>
    observations.read(context, record, { since: value }).observations.map(({ id }) => id);
  expect(since("2026-06-29")).toEqual([100, 99]); // published at as_of and one day before
  expect(since("2026-06-29T00:00:01Z")).toEqual([100]);
  expect(since("2026-06-30T02:00:00+02:00")).toEqual([100]); // the offset is heeded: this is as_of itself
});

test("`total_count` counts the rows since then, rejected ones included", () => {
  const total = (query: Record<string, string>) => observations.read(context, record, query).total_count;
  expect(total({ since: "2026-06-29", limit: "1" })).toBe(2);
  expect(total({ since: "2026-06-28" })).toBe(3);
  expect(observations.read(context, record, { since: "2030-01-01" })).toMatchObject({
    total_count: 0,
    has_more: false,
    next_cursor: null,
  });
});

test("a rejected row stays listed, and is no citation", () => {
  const [first, second] = observations.read(context, record, {}).observations;
  expect(first).toMatchObject({ physical_citation: true, verif_state: "corroborated", asset_id: 501 });
  expect(second).toMatchObject({
    physical_citation: false,
    verif_state: "rejected",
    observation_verification_state: "rejected",
  });
});

test("a row that is set aside says why, and one that is rejected counts as little", () => {
  const counting = (changes: Parameters<typeof fakeObservation>[2]) =>
    observations.read(fakeContext({ observations: [fakeObservation(7, 2, changes)] }), record, {})
      .observations[0];
  expect(counting({ sourceId: "alpha-scouts" })).toMatchObject({
    source: "alpha-scouts",
    counts_as_independent: true,
    set_aside: null,
  });
  expect(counting({ setAside: "private_trace" })).toMatchObject({
    source: null,
    counts_as_independent: false,
    set_aside: "private_trace",
    physical_citation: true,
  });
  expect(counting({ state: "rejected" })).toMatchObject({ counts_as_independent: false, set_aside: null });
});

test("times say how exact they are, and nothing looks accepted before it was observed", () => {
  const start = Date.parse("2026-06-18T05:00:00Z"); // of the solar day of a city at 79 degrees west
  const day = Date.parse("2026-06-18T00:00:00Z");
  const rowOf = (changes: Parameters<typeof fakeObservation>[2]) =>
    observations.read(fakeContext({ observations: [fakeObservation(7, 2, changes)] }), record, {})
      .observations[0];
  expect(rowOf({ observedAt: start, acceptedAt: day })).toMatchObject({
    observed_on: "2026-06-18",
    observed_at: "2026-06-18T05:00:00Z",
    accepted_at: "2026-06-18T05:00:00Z",
    reprocessed_at: null,
    time_precision: {
      observed_at: "day",
      accepted_at: "day",
      published_at: "second",
      reprocessed_at: "day",
    },
  });
  expect(rowOf({ observedAt: start, acceptedAt: day + 2 * DAY_MS })).toMatchObject({
    accepted_at: "2026-06-20T00:00:00Z",
    time_precision: { observed_at: "day" },
  });
});
