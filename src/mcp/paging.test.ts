import { expect, test } from "vitest";
import { z } from "zod";
import { fakeCity, fakeEvent, fakeRecord } from "../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../kernel/errors.ts";
import type { ReadContext } from "../resources/define.ts";
import { cityIndex, getPulse } from "./tools/tools.ts";

const events = Array.from({ length: 120 }, (_, at) => fakeEvent(`evt_${at}`, at / 10));
const context = fakeContext({ events });

const Pulse = z.looseObject({
  events: z.array(z.looseObject({ id: z.string() })),
  total_events: z.int(),
  total_count: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});
const pulse = (from: ReadContext, given: object) =>
  Pulse.parse(getPulse.parse({ city: "alpha", ...given }).run(from));

test("get_pulse reads on to the last event, and says how many there are", () => {
  expect(pulse(context, {}).events).toHaveLength(10);
  const limit = 50;
  const first = pulse(context, { limit });
  const second = pulse(context, { limit, cursor: first.next_cursor });
  const third = pulse(context, { limit, cursor: second.next_cursor });
  const pages = [first, second, third];
  expect(pages.map(({ events, has_more }) => [events.length, has_more])).toEqual([
    [50, true],
    [50, true],
    [20, false],
  ]);
  for (const page of pages) expect(page).toMatchObject({ total_events: 120, total_count: 120 });
  expect(third).not.toHaveProperty("next_cursor");
  expect(pages.flatMap((page) => page.events.map(({ id }) => id))).toEqual(events.map(({ id }) => id));
});

test("a cursor of get_pulse answers the same question only, and expires with its snapshot", () => {
  const { next_cursor: cursor } = pulse(context, {});
  expect(() => pulse(context, { cursor, since: "2026-01-01" })).toThrow(/^cursor .*other filters/);
  const newer = fakeContext({ cities: [fakeCity(1, "Alpha", { snapshotId: crypto.randomUUID() })] });
  expect(() => pulse(newer, { cursor })).toThrow(
    new PublicError(410, "the cursor's snapshot has expired: restart without a cursor", {
      code: "cursor_expired",
    }),
  );
});

test("city_index takes the filters of the index, says which it used, and counts what they leave", () => {
  const records = [
    fakeRecord(1, {
      status: "claimed",
      onlineVerdict: "none",
      online: { checkedAt: null, signalTypes: [], matchCount: 0 },
    }),
    fakeRecord(2, { industry: "4711" }),
    fakeRecord(3, {}, null),
  ];
  const read = (given: object) => cityIndex.parse({ city: "Alpha", ...given }).run(fakeContext({ records }));
  const none = { industry: null, online_presence: null, ranking_state: null, claim_status: null };
  expect(read({})).toMatchObject({ filters: none, total_count: 3 });
  for (const [given, id] of [
    [{ claim_status: "claimed" }, "demo_1"],
    [{ online_presence: "none" }, "demo_1"],
    [{ industry: "G" }, "demo_2"],
    [{ ranking_state: "insufficient_evidence" }, "demo_3"],
  ] as const)
    expect(read(given)).toMatchObject({
      filters: { ...none, ...given },
      total_count: 1,
      ranking_summary: { evidence_building: id === "demo_3" ? 1 : 0 },
      rankings: [{ public_id: id }],
    });
  expect(() => read({ ranking_state: "eligible" })).toThrow(
    /ranking_state must be one of ranked, awaiting_cohort, insufficient_evidence, integrity_review/,
  );
});
