import { describe, expect, test } from "vitest";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { sha256Hex } from "../kernel/hash.ts";
import type { OnlineCheck } from "./outside-tree.ts";
import type { LedgerWriter } from "./writer.ts";

describe("online checks", () => {
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
});

describe("external proofs", () => {
  const HOST = "tsa.example";
  const token = Buffer.from("a token");

  /** A day's rows and their seal, at noon of the next day. Returns the size of the tree. */
  function sealDay(ledger: TestLedger, writer: LedgerWriter, day: number): number {
    ledger.appendAt(writer, `2026-05-0${day}T12:00:00Z`, 2);
    ledger.time = Date.parse(`2026-05-0${day + 1}T12:00:00.700Z`);
    return writer.seal({ now: false }).checkpoint?.size ?? 0;
  }

  test("each checkpoint's proof is asked for once, and waits until it is verified", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    using reader = ledger.reader();
    expect(writer.requestProofs(HOST, 20)).toEqual([]); // nothing is signed yet
    const first = sealDay(ledger, writer, 1);
    const note = reader.checkpointAt(first)?.note;
    expect(writer.requestProofs(HOST, 20)).toEqual([{ size: first, note }]);
    const asked = {
      size: first,
      provider: HOST,
      token: null,
      sha256: null,
      verifiedAt: null,
      attemptedAt: null,
    };
    const requestedAt = Date.parse("2026-05-02T12:00:00Z"); // whole seconds
    expect(reader.externalProofs()).toEqual([{ ...asked, status: "pending", requestedAt }]);

    const second = sealDay(ledger, writer, 2);
    expect(writer.requestProofs("other.example", 20).map(({ size }) => size)).toEqual([second, first]);
    expect(writer.requestProofs("other.example", 1).map(({ size }) => size)).toEqual([second]);
    expect(reader.externalProofs().map(({ provider }) => provider)).toEqual([HOST, "other.example"]);

    writer.recordProofs([{ size: first, provider: "other.example", status: "verified", token }]);
    expect(writer.requestProofs(HOST, 20).map(({ size }) => size)).toEqual([second]);
    expect(reader.externalProofs()[0]).toEqual({
      size: first,
      provider: "other.example",
      status: "verified",
      token,
      sha256: sha256Hex(token),
      verifiedAt: Date.parse("2026-05-03T12:00:00Z"),
      attemptedAt: Date.parse("2026-05-03T12:00:00Z"),
      requestedAt,
    });
  });

  test("an answer that proves nothing is a failure until another proves it; no answer changes nothing", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    using reader = ledger.reader();
    const size = sealDay(ledger, writer, 1);
    writer.requestProofs(HOST, 20);
    const status = (asOf?: number) => reader.externalProofs(asOf)[0]?.status;
    const record = (outcome: "failed" | "pending") => {
      ledger.time += 60_000;
      writer.recordProofs([{ size, provider: HOST, status: outcome }]);
    };
    record("pending");
    expect(status()).toBe("pending");
    record("failed");
    expect(status()).toBe("failed");
    const failedAt = ledger.time;
    record("pending");
    expect(status()).toBe("failed");
    expect([status(failedAt), status(failedAt - 1000)]).toEqual(["failed", "pending"]);
    writer.recordProofs([{ size, provider: HOST, status: "verified", token }]);
    record("failed");
    expect(reader.externalProofs()).toMatchObject([{ status: "verified", token }]);
  });

  test("proofs are told as they stood at a time", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    using reader = ledger.reader();
    const size = sealDay(ledger, writer, 1);
    writer.requestProofs(HOST, 20);
    ledger.time += 60_000;
    writer.recordProofs([{ size, provider: HOST, status: "verified", token }]);
    const at = (instant: string) => reader.externalProofs(Date.parse(instant));
    expect(at("2026-05-02T11:59:59Z")).toEqual([]);
    expect(at("2026-05-02T12:00:00Z")).toMatchObject([
      { status: "pending", token: null, sha256: null, verifiedAt: null },
    ]);
    expect(at("2026-05-02T12:00:59Z")).toMatchObject([{ status: "pending" }]);
    expect(at("2026-05-02T12:01:00Z")).toMatchObject([{ status: "verified", token }]);
  });

  test("a token that was changed is not handed out", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    using reader = ledger.reader();
    const size = sealDay(ledger, writer, 1);
    writer.requestProofs(HOST, 20);
    writer.recordProofs([{ size, provider: HOST, status: "verified", token }]);
    rawLedger(writer).prepare("UPDATE external_proofs SET token = ?").run(Buffer.from("another"));
    expect(() => reader.externalProofs()).toThrow(`external proof of checkpoint ${size}: `);
    rawLedger(writer).prepare("UPDATE external_proofs SET token = NULL").run();
    expect(() => reader.externalProofs()).toThrow("the ledger was changed");
  });
});
