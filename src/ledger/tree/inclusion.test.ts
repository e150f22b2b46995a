import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { numberedLeaves, rootOf } from "../../../tests/support/ledger/small-tree.ts";
import { inclusionPath } from "./inclusion.ts";

const LEAVES = numberedLeaves(70_000);

/** Nothing but the leaf hashes: rows 1 to 70,000. */
const database = new Database(":memory:");
database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, leaf_hash BLOB NOT NULL)");
const insert = database.prepare("INSERT INTO rows VALUES (?, ?)");
database.transaction(() => {
  for (const [index, leaf] of LEAVES.entries()) insert.run(index + 1, leaf);
})();

afterAll(() => {
  database.close();
});

/** PATH(m, D) as RFC 6962, 2.1.1 defines it. */
function pathByDefinition(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length < 2) return [];
  let split = 1;
  while (split < leaves.length / 2) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (index < split) return [...pathByDefinition(index, left), rootOf(right)];
  return [...pathByDefinition(index - split, right), rootOf(left)];
}

function expectPath(row: number, size: number): void {
  expect(inclusionPath(database, row, size)).toEqual(pathByDefinition(row - 1, LEAVES.slice(0, size)));
}

test("ends and middle of each tree of up to 300", () => {
  for (let size = 1; size <= 300; size += 1)
    for (const row of new Set([1, Math.ceil(size / 2), size])) expectPath(row, size);
});

test("any row of a tree of up to 300", () => {
  const rowAndSize = fc
    .integer({ min: 1, max: 300 })
    .chain((size) => fc.tuple(fc.integer({ min: 1, max: size }), fc.constant(size)));
  fc.assert(fc.property(rowAndSize, ([row, size]) => expectPath(row, size)));
});

test.each([1999, 2000, 2001, 4096, 4097, 65_535, 65_536, 65_537, 70_000])("a tree of %i", (size) => {
  for (const row of [1, 2, 2000, 65_536, size].filter((each) => each <= size)) expectPath(row, size);
});

test("only rows of the tree have a path", () => {
  for (const row of [0, -1, 9, 1.5]) expect(() => inclusionPath(database, row, 8)).toThrow(/has no leaf/);
});

test("a missing row is named", () => {
  const gappy = new Database(":memory:");
  gappy.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, leaf_hash BLOB NOT NULL)");
  for (const row of [1, 2, 3, 4, 6, 7, 8])
    gappy.prepare("INSERT INTO rows VALUES (?, zeroblob(32))").run(row);
  expect(() => inclusionPath(gappy, 1, 8)).toThrow(
    "row 5: a row of the 4 from here is missing: the ledger was changed; restore it from your backup",
  );
  gappy.close();
});
