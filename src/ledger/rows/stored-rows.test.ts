import { expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { statusRow, TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { rowsInOrder, TimeOrder } from "./stored-rows.ts";

test.for([
  ["rows of the same and of later times", "status 1, status 1, seal 2, status 3", true],
  ["a row before the row above it", "status 2, status 1", false],
  ["a row after a later seal", "status 1, seal 3, status 2", true],
  ["a row after a later erasure and its seal", "status 1, redaction 3, seal 3, status 2", true],
  ["rows that replace erased ones", "status 1, redaction 3, review 3, review 3, seal 3, status 2", true],
  ["an erasure before the row above it", "status 2, redaction 1", false],
  ["a decision after an erasure", "redaction 3, seal 3, review 4, status 2", false],
  ["a replacement of another time", "redaction 3, review 4, status 2", false],
] as const)("%s", ([, rows, isInOrder]) => {
  const order = new TimeOrder();
  const admitted = rows.split(", ").map((row) => {
    const [kind = "", time] = row.split(" ");
    return order.admits(kind, Number(time));
  });
  expect(admitted.every(Boolean)).toBe(isInOrder);
});

const DAY_1 = Date.parse("2026-05-01T23:59:59.999Z");

test("rows of an earlier day come after an erasure, and after nothing else", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  const times = () =>
    rawLedger(writer).prepare<[], number>("SELECT accepted_at FROM rows ORDER BY id").pluck().all();
  const append = () => writer.append(statusRow(1));
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 1);
  ledger.time = Date.parse("2026-05-02T09:00:00Z");
  writer.transaction(() =>
    writer.append({ kind: "redaction", body: { rows: [1] }, private: { reason: "safety" } }),
  );
  writer.seal({ now: true });
  writer.transactionDated(DAY_1, append);
  expect(times().at(-1)).toBe(DAY_1);
  expect(writer.now()).toBe(ledger.time); // the erasure is the newest row still
  ledger.appendAt(writer, "2026-05-02T10:00:00Z", 1);
  writer.transactionDated(DAY_1, append); // the time moves up
  expect(times().at(-1)).toBe(ledger.time);
  expect(() => [...rowsInOrder(rawLedger(writer), 0, writer.nextId() - 1)]).not.toThrow();
});

test("a writer that is opened again knows the newest row, an erasure's too", () => {
  using ledger = new TestLedger();
  {
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 1);
    ledger.time = Date.parse("2026-05-02T09:00:00Z");
    writer.transaction(() =>
      writer.append({ kind: "redaction", body: { rows: [1] }, private: { reason: "safety" } }),
    );
    writer.transactionDated(DAY_1, () => writer.append(statusRow(1)));
  }
  ledger.time = Date.parse("2026-05-02T08:00:00Z");
  using writer = ledger.writer();
  expect(() => writer.now()).toThrow("clock set back");
});
