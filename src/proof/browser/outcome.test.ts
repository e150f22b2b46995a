import { expect, test } from "vitest";
import { readQuestion, verifyAddress } from "./outcome.ts";

test("what an address says is what is asked", () => {
  expect(readQuestion(" 12 ", "pr_ab", " key ")).toEqual({ row: 12, record: "pr_ab", knownKey: "key" });
  const { searchParams } = new URL(verifyAddress(12, "pr_ab"), "https://example.org");
  expect([searchParams.get("row"), searchParams.get("record")]).toEqual(["12", "pr_ab"]);
  expect(verifyAddress(12, "")).toBe("/verify/?row=12");
});

test.each(["", "0", "-1", "1.5", "012", "1e3", "12345678901234567890", "ten"])("%j is no row", (row) => {
  expect(readQuestion(row, "", "")).toContain("whole number");
});

test.each(["../status", "a/b", "a?b", "%2e%2e", "a".repeat(81)])("%j is no record's id", (record) => {
  expect(readQuestion("1", record, "")).toContain("record id");
});
