import { expect, test } from "vitest";
import { isOfRecords, recordOf } from "./record-documents.ts";

test.each([
  [{ public_id: "pr_1" }, "pr_1"],
  [{ id: "pr_2.113.120.2026-06-30.v1.wnrjqhdw" }, "pr_2"],
  [{ id: "not a citation" }, undefined],
  [{ slug: "alpha", code: "I" }, undefined],
  [{}, undefined],
] as const)("%j is about the record %j", (values, record) => {
  expect(recordOf(values)).toBe(record);
});

test.each([
  ["/api/v1/entity/{public_id}/evidence", true],
  ["/record/[public_id]", true],
  ["/cite/[id]", true],
  ["/merged/[public_id]", false],
  ["/city/{city}/industry/{code}/", false],
  ["/public_id/", false],
])("%s: documents of single records: %s", (template, expected) => {
  expect(isOfRecords(template)).toBe(expected);
});
