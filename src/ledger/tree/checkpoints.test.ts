import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { headPath } from "./checkpoints.ts";

function sealMore(ledger: TestLedger, instant: string): string {
  using writer = ledger.writer();
  ledger.appendAt(writer, instant, 3);
  return writer.seal({ now: true }).checkpoint?.note ?? "";
}

function head(ledger: TestLedger): string {
  return readFileSync(headPath(ledger.keysDir, "demo"), "utf8");
}

test("the head follows every seal", () => {
  using ledger = new TestLedger();
  expect(head(ledger)).toMatch(/^example\.org\/demo\n0\n/);
  expect(sealMore(ledger, "2026-05-01T12:00:00Z")).toBe(head(ledger));
  expect(sealMore(ledger, "2026-05-01T13:00:00Z")).toBe(head(ledger));
});

test("a ledger restored from an old backup is not signed on", () => {
  using ledger = new TestLedger();
  sealMore(ledger, "2026-05-01T12:00:00Z");
  copyFileSync(ledger.path, `${ledger.path}.backup`);
  sealMore(ledger, "2026-05-01T13:00:00Z");
  const signed = head(ledger);
  copyFileSync(`${ledger.path}.backup`, ledger.path);
  expect(() => sealMore(ledger, "2026-05-01T14:00:00Z")).toThrow(OperatorError);
  expect(() => sealMore(ledger, "2026-05-01T14:00:00Z")).toThrow(
    /demo\.head: a head of 8 rows was signed, which this ledger does not hold \(its newest has 4\)/,
  );
  using reader = ledger.reader();
  expect(() => reader.advanceHead(ledger.keysDir)).toThrow("an older or another copy");
  expect(head(ledger)).toBe(signed);
});

test("a second history of the same size is refused", () => {
  using ledger = new TestLedger();
  const path = headPath(ledger.keysDir, "demo");
  const empty = head(ledger);
  copyFileSync(ledger.path, `${ledger.path}.backup`);
  const signed = sealMore(ledger, "2026-05-01T12:00:00Z");
  copyFileSync(`${ledger.path}.backup`, ledger.path);
  writeFileSync(path, empty);
  expect(sealMore(ledger, "2026-05-01T12:00:01Z")).not.toBe(signed);
  writeFileSync(path, signed);
  using reader = ledger.reader();
  expect(reader.latestCheckpoint()?.size).toBe(4);
  expect(() => reader.advanceHead(ledger.keysDir)).toThrow(
    "a head of 4 rows was signed, which this ledger does not hold",
  );
  expect(head(ledger)).toBe(signed);
});

test("a crash between commit and head is made good by the next run, and advancing twice changes nothing", () => {
  using ledger = new TestLedger();
  sealMore(ledger, "2026-05-01T12:00:00Z");
  const before = head(ledger);
  const signed = sealMore(ledger, "2026-05-01T13:00:00Z");
  writeFileSync(headPath(ledger.keysDir, "demo"), before);
  using reader = ledger.reader();
  reader.advanceHead(ledger.keysDir);
  expect(head(ledger)).toBe(signed);
  reader.advanceHead(ledger.keysDir);
  expect(head(ledger)).toBe(signed);
});

test.each(["", "damaged"])("a head that is missing or damaged stops the signer: %j", (content) => {
  using ledger = new TestLedger();
  const last = sealMore(ledger, "2026-05-01T12:00:00Z");
  if (content === "") rmSync(headPath(ledger.keysDir, "demo"));
  else writeFileSync(headPath(ledger.keysDir, "demo"), content);
  expect(() => sealMore(ledger, "2026-05-01T13:00:00Z")).toThrow(
    /demo\.head: .*copy the last published checkpoint there/,
  );
  writeFileSync(headPath(ledger.keysDir, "demo"), last);
  expect(sealMore(ledger, "2026-05-01T14:00:00Z")).toBe(head(ledger));
});
