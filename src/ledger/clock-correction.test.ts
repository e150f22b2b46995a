import { expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";

const FUTURE = "2036-05-01T12:00:00Z";
const TODAY = "2026-05-02T09:00:00Z";

/** Sealed today, then ten years ahead by a wrong clock. */
function ledgerInTheFuture(): TestLedger {
  const ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.sealAt(FUTURE);
  ledger.time = Date.parse(TODAY);
  return ledger;
}

test("a ledger in the future takes no row until a row corrects its clock", () => {
  using ledger = ledgerInTheFuture();
  using writer = ledger.writer();
  expect(() => ledger.appendAt(writer, TODAY, 1)).toThrow("clock set back");
  const { id, body } = writer.correctClock();
  expect(body).toEqual({ from: "2036-05-01", to: "2026-05-02" });
  ledger.appendAt(writer, "2026-05-02T10:00:00Z", 1);
  const { seals } = writer.seal({ now: true });
  expect(seals.at(-1)).toMatchObject({ date: "2026-05-02", created_at: "2026-05-02T10:00:00Z" });
  using reader = ledger.reader();
  const rows = [...reader.verifiedRows(reader.latestCheckpoint()?.size ?? 0)];
  expect(rows[id - 1]).toMatchObject({ id, kind: "clock", body, acceptedAt: Date.parse(TODAY) });
});

test("it is disclosed before any seal covers it", () => {
  using ledger = ledgerInTheFuture();
  using writer = ledger.writer();
  const { id } = writer.correctClock();
  ledger.appendAt(writer, "2026-05-02T10:00:00Z", 1);
  using reader = ledger.reader();
  const rows = [...reader.publicRows({ after: id - 1, upTo: id + 1, sealed: id - 1 })];
  expect(rows.map(({ disclosure }) => typeof disclosure)).toEqual(["string", "undefined"]);
});

test("a later writer goes on after it, and there is nothing to correct twice", () => {
  using ledger = ledgerInTheFuture();
  {
    using writer = ledger.writer();
    writer.correctClock();
    expect(() => writer.correctClock()).toThrow("nothing to correct");
  }
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-03T10:00:00Z", 2);
  expect(writer.seal({ now: false }).seals).toHaveLength(1);
});
