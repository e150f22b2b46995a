import { expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import type { OnlineCheck } from "./online-checks.ts";

const check: OnlineCheck = {
  record: 1,
  checkedAt: 1000,
  verdict: "detected",
  signalTypes: ["website", "maps_listing"],
  matchCount: 2,
  provider: "probe",
};

test("checks come back in the order of time, up to and including the instant asked for", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 2);
  const later: OnlineCheck = { ...check, checkedAt: 3000, verdict: "none", signalTypes: [], matchCount: 0 };
  const other = { ...check, record: 2, checkedAt: 2000 };
  for (const one of [later, check, other]) writer.appendOnlineCheck(one);
  using reader = ledger.reader();
  expect(Array.from(reader.onlineChecks(3000))).toEqual([check, other, later]);
  expect(Array.from(reader.onlineChecks(2999))).toEqual([check, other]);
  expect(reader.latestOnlineChecks(3000)).toEqual(
    new Map([
      [1, later],
      [2, other],
    ]),
  );
  expect(reader.latestOnlineChecks(2999).get(1)).toEqual(check);
  expect(reader.latestOnlineChecks(999).size).toBe(0);
});

test("a malformed check and one of an unknown row are refused", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 1);
  expect(() => writer.appendOnlineCheck({ ...check, matchCount: -1 })).toThrow("matchCount");
  expect(() => writer.appendOnlineCheck({ ...check, checkedAt: 1.5 })).toThrow("checkedAt");
  expect(() => writer.appendOnlineCheck({ ...check, record: 2 })).toThrow("FOREIGN KEY");
});
