import { expect, test } from "vitest";
import { testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";

test("the queries of pending lines use their indexes", () => {
  using it = testLedger();
  const plan = (sql: string) =>
    rawLedger(it.ledger)
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join("; ");
  const open = "state <> 'held' AND state <> 'held_back'";
  expect(plan(`SELECT id FROM pending WHERE ${open} AND day = 1 ORDER BY key`)).toContain(
    "SEARCH pending USING INDEX pending_by_day (day=?)",
  );
  expect(plan(`SELECT min(day) FROM pending WHERE ${open} AND day <= 1`)).toContain("pending_by_day");
  expect(plan(`SELECT count(*) FROM pending WHERE ${open}`)).toContain("USING COVERING INDEX");
  expect(
    plan("SELECT key FROM pending WHERE state <> 'waiting' AND state <> 'held_back' ORDER BY day, key"),
  ).toContain("pending_reviewed");
  expect(plan("SELECT count(*) FROM pending WHERE batch = 'b1' AND state = 'waiting'")).toContain(
    "COVERING INDEX pending_of_batch",
  );
});
