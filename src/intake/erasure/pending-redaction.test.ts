import { expect, test } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { erasePending, pendingTarget, planPendingRedaction } from "./pending-redaction.ts";

const SECRET = sighting("secret-ref", { name: "Quokka Lantern Works", observer: "zephyrine" });

async function threePending(): Promise<TestLedger> {
  const it = testLedger();
  await it.accept([sighting("a"), SECRET, sighting("c")]);
  return it;
}

test.for([
  ["b1:2", { batch: "b1", line: 2 }],
  ["b0:17", { batch: "b0", line: 17 }],
  ["12", undefined],
  ["b1:0", undefined],
  ["b1:-1", undefined],
  ["b:1", undefined],
  ["b1:2 ", undefined],
  ["b1:2:3", undefined],
  [`b1:${"9".repeat(40)}`, undefined],
] as const)("%s names a line or not", ([text, target]) => {
  expect(pendingTarget(text)).toEqual(target);
});

test("a pending line is shown, deleted, and refused from then on", async () => {
  using it = await threePending();
  const plan = planPendingRedaction(it.ledger, { batch: "b1", line: 2 });
  expect(plan).toMatchObject({ name: "Quokka Lantern Works", assetType: "storefront" });
  erasePending(it.ledger, plan.id);
  expect(it.ledger.pendingCounts().waiting).toBe(2);
  expect(await it.accept([SECRET])).toMatchObject({ known: 1, accepted: 0 });
  expect(await it.takeIn()).toMatchObject({ lines: 2 });
  expect(it.rows("observation")).toHaveLength(2);
  expect(() => planPendingRedaction(it.ledger, { batch: "b1", line: 1 })).toThrow("b1:1: no such line");
});

test("a held line is deleted like one that waits", async () => {
  using it = testLedger();
  await it.ingest([sighting("r", { name: "Restaurant", observer: "zephyrine" })]);
  expect(it.ledger.pendingCounts()).toMatchObject({ waiting: 0, held: 1 });
  erasePending(it.ledger, planPendingRedaction(it.ledger, { batch: "b1", line: 1 }).id);
  expect(it.ledger.pendingCounts()).toMatchObject({ waiting: 0, held: 0 });
});
