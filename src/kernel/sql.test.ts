import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { AMONG, Sql } from "./sql.ts";

test("a text is prepared once, however often it is asked for, and a list is one parameter", () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE seen (row INTEGER NOT NULL) STRICT");
  const prepare = vi.spyOn(database, "prepare");
  const sql = new Sql(database);
  for (const row of [1, 2, 3, 4]) expect(sql.run("INSERT INTO seen VALUES (?)", row)).toBe(1);
  expect(prepare).toHaveBeenCalledTimes(1);
  const text = `SELECT row FROM seen WHERE row ${AMONG} ORDER BY row`;
  expect(sql.all(text, [4, 2])).toEqual([{ row: 2 }, { row: 4 }]);
  expect(sql.column(text, [4, 2])).toEqual([2, 4]);
  expect(sql.get(text, [1])).toEqual({ row: 1 });
  expect(sql.value(text, [5])).toBeUndefined();
  expect(prepare).toHaveBeenCalledTimes(2);
  database.close();
});
