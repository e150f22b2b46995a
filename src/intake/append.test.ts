import { expect, test } from "vitest";
import {
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
} from "../../tests/support/ledger/intake-ledger.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { erase } from "./erasure/erase.ts";
import { planOptOut } from "./erasure/erasure-plan.ts";

const publicIds = (it: TestLedger) =>
  [...it.rows("record"), ...it.rows("asset")].map(({ body }) => String(body["public_id"]));
const one = sighting("a");
const other = sighting("b", { name: "Harbour Ropes", lat: 40.01 });

test("an id that was given out is not given out again, whatever chance says", async () => {
  using it = testLedger();
  await it.ingest([one], { random: countedRandom("same") });
  await it.ingest([other], { random: countedRandom("same") });
  expect(new Set(publicIds(it)).size).toBe(4);
});

test("neither is that of a record that opted out", async () => {
  using it = testLedger();
  await it.ingest([one], { random: countedRandom("same") });
  const [gone = ""] = publicIds(it);
  it.ledger.seal({ now: true });
  erase(it.ledger, planOptOut(it.ledger, { kind: "opt_out", target: gone, reason: "owner_request" }));
  expect(publicIds(it)).toEqual([]);
  await it.ingest([other], { random: countedRandom("same") });
  expect(publicIds(it)).toHaveLength(2);
  expect(publicIds(it)).not.toContain(gone);
});

test("a trial run takes nothing", async () => {
  using it = testLedger();
  await it.ingest([one], { random: countedRandom("same"), dryRun: true });
  await it.ingest([one], { random: countedRandom("same") });
  using fresh = testLedger();
  await fresh.ingest([one], { random: countedRandom("same") });
  expect(publicIds(it)).toEqual(publicIds(fresh));
});

test("a source that only repeats itself writes nothing", async () => {
  using it = testLedger();
  const stuck: RandomBytes = (size) => Buffer.alloc(size, 7);
  await expect(it.ingest([one], { random: stuck })).rejects.toThrow(/random source/);
  expect(publicIds(it)).toEqual([]);
});
