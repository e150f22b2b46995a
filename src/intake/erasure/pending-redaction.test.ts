import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { pendingTarget, planPendingRedaction, redactPending } from "./pending-redaction.ts";

const SECRET = sighting("secret-ref", { name: "Quokka Lantern Works", observer: "zephyrine" });

async function threePending(): Promise<TestLedger> {
  const it = testLedger();
  await it.accept([sighting("a"), SECRET, sighting("c")]);
  return it;
}

/** The ledger's file with its log. */
function bytes({ home }: TestLedger): Buffer {
  const files = ["", "-wal"].map((ending) => `${homePaths(home).ledger}${ending}`);
  return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)));
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

test("a pending line is shown, deleted with its code, and refused from then on", async () => {
  using it = await threePending();
  const target = { batch: "b1", line: 2 };
  const plan = planPendingRedaction(it.ledger, target);
  expect(plan).toMatchObject({ name: "Quokka Lantern Works", assetType: "storefront" });
  expect(() => redactPending(it.ledger, target, "00000000")).toThrow("--confirm 00000000 does not match");
  expect(bytes(it).includes("zephyrine")).toBe(true);
  const rows = it.ledger.nextId();
  redactPending(it.ledger, target, plan.code);
  for (const gone of ["zephyrine", "Quokka", "secret-ref"])
    expect(bytes(it).includes(gone), gone).toBe(false);
  expect(it.ledger.nextId()).toBe(rows);
  expect(it.ledger.pendingCounts().waiting).toBe(2);
  expect(await it.accept([SECRET])).toMatchObject({ known: 1, accepted: 0 });
  expect(await it.takeIn()).toMatchObject({ lines: 2 });
});

test("a line that is no longer pending is not said to be deleted", async () => {
  using it = await threePending();
  const target = { batch: "b1", line: 2 };
  const { code } = planPendingRedaction(it.ledger, target);
  await it.takeIn();
  expect(() => redactPending(it.ledger, target, code)).toThrow(OperatorError);
  expect(() => planPendingRedaction(it.ledger, target)).toThrow("b1:2: no such line is pending");
  expect(it.rows("observation")).toHaveLength(3);
});

test("a held line is deleted like one that waits", async () => {
  using it = testLedger();
  await it.ingest([sighting("r", { name: "Restaurant", observer: "zephyrine" })]);
  expect(it.ledger.pendingCounts()).toMatchObject({ waiting: 0, held: 1 });
  const target = { batch: "b1", line: 1 };
  redactPending(it.ledger, target, planPendingRedaction(it.ledger, target).code);
  expect(it.ledger.pendingCounts()).toMatchObject({ waiting: 0, held: 0 });
  expect(bytes(it).includes("zephyrine")).toBe(false);
});
