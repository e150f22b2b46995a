import { expect, test } from "vitest";
import { type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { nights, register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { enrol } from "./source-desk.ts";
import { appendTallies } from "./tally.ts";

/** Draws the smallest rows. */
const draw = (size: number) => (candidates: Iterable<{ readonly row: number }>) =>
  [...candidates]
    .map(({ row }) => row)
    .sort((a, b) => a - b)
    .slice(0, size);

/** Five rows that are copies of others, and one line of a suspended observer. */
async function copies(): Promise<TestLedger> {
  const it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob", "eve"])
    enrol(it.ledger, { source: "scouts", observer }, { isVouched: observer !== "eve" });
  const pictures = Array.from({ length: 5 }, (_, record) => String(record).repeat(64));
  for (const observer of ["ann", "bob"])
    await it.ingest(
      pictures.map((media_sha256, record) => ({
        ...seen("scouts", observer, { record, day: observer === "ann" ? 0 : 4, hour: 10 + record }),
        media_sha256,
      })),
    );
  await it.ingest([seen("scouts", "eve", { record: 9 })]);
  return it;
}

test("a month is tallied once, when it is over; small counts are null", async () => {
  using it = await copies();
  nights(it, 1);
  const [first, second] = [...it.ledger.sources.setAside().keys()];
  expect(appendTallies(it.ledger, draw(2))).toEqual([]);
  it.ledger.transaction(() => {
    it.ledger.sources.reviewSetAside(first ?? 0, "restored", it.clock.time);
    it.ledger.sources.reviewSetAside(second ?? 0, "confirmed", it.clock.time);
  });
  it.clock.time = Date.parse("2026-06-01T00:10:00Z");
  expect(appendTallies(it.ledger, draw(2))).toEqual(["2026-05"]);
  expect(appendTallies(it.ledger, draw(2))).toEqual([]);
  expect(it.rows("tally").map(({ body }) => body)).toEqual([
    {
      checks: [{ check: "same_media", restored: null, set_aside: 5 }],
      month: "2026-05",
      sample: { false_alarms: 1, reviewed: 2 },
      vouched: [{ observers: null, source: "scouts" }],
    },
  ]);
  expect(it.ledger.seal({ now: false }).rows).toBeGreaterThan(0); // dated the last day of May
});

test("months without a seal are tallied one by one", async () => {
  using it = await copies();
  nights(it, 1);
  it.clock.time = Date.parse("2026-08-03T00:10:00Z");
  expect(appendTallies(it.ledger, draw(9))).toEqual(["2026-05", "2026-06", "2026-07"]);
  expect(it.rows("tally").map(({ body }) => body["checks"])).toEqual([
    [{ check: "same_media", restored: null, set_aside: 5 }],
    [],
    [],
  ]);
  it.clock.time += 30 * DAY_MS;
  expect(appendTallies(it.ledger, draw(9))).toEqual(["2026-08"]);
});

test("vouched observers are counted by source from three on", async () => {
  using it = await copies();
  register(it, "others", { operator: "operator of scouts" });
  for (const observer of ["ann", "zoe"])
    enrol(it.ledger, { source: "others", observer }, { isVouched: true }); // ann counts where she was first
  it.clock.time = Date.parse("2026-06-01T00:10:00Z");
  appendTallies(it.ledger, draw(9));
  expect(it.rows("tally")[0]?.body["vouched"]).toEqual([
    { observers: null, source: "others" },
    { observers: null, source: "scouts" },
  ]);
  enrol(it.ledger, { source: "scouts", observer: "joe" }, { isVouched: true });
  it.clock.time = Date.parse("2026-07-01T00:10:00Z");
  appendTallies(it.ledger, draw(9));
  expect(it.rows("tally")[1]?.body["vouched"]).toContainEqual({ observers: 3, source: "scouts" });
});

test("a ledger without registered sources has no tallies", async () => {
  using it = testLedger();
  await it.ingest([seen(null, "ann")]);
  rawLedger(it.ledger).exec("DELETE FROM sources");
  it.clock.time = Date.parse("2026-08-03T00:10:00Z");
  expect(appendTallies(it.ledger, draw(9))).toEqual([]);
});
