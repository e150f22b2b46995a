import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { integer, table, text } from "../../kernel/table.ts";
import { BatchInserter } from "./release.ts";

const names = table("names", { public: { id: integer().primaryKey(), name: text() } });

test.each([0, 1, 99, 100, 101, 250])("%i rows are inserted in their order", (count) => {
  const db = new Database(":memory:");
  db.exec(names.create);
  const inserter = new BatchInserter(db, names);
  const rows = Array.from({ length: count }, (_, index) => [index, `name ${index}`] as const);
  for (const row of rows) inserter.add(...row);
  inserter.flush();
  inserter.flush(); // inserts nothing twice
  expect(db.prepare("SELECT id, name FROM names").raw().all()).toEqual(rows);
});
