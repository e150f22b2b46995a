import { expect, test } from "vitest";
import type { RowKind } from "../../ledger/rows/rows.ts";
import { RowsInEffect } from "./mending.ts";

const KINDS: readonly RowKind[] = [
  "observation",
  "review",
  "seal", // the last sealed row is 2
  "review", // open
  "redaction",
  "review", // in the place of an erased merge
  "naming", // in the place of an erased one
  "seal",
  "review", // open again
  "redaction",
  "status", // open
  "naming", // of the night to come
];

function inEffect(isPatch: boolean): number[] {
  const rows = new RowsInEffect(2, isPatch);
  return KINDS.flatMap((kind, at) => (rows.has({ id: at + 1, kind }) ? [at + 1] : []));
}

test("a nightly release takes in sealed rows and all seals", () => {
  expect(inEffect(false)).toEqual([1, 2, 3, 8]);
});

test("a patch release also takes in erasures and what they put in the place of erased rows", () => {
  expect(inEffect(true)).toEqual([1, 2, 3, 5, 6, 7, 8, 10]);
});
