import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { statements } from "./statements.ts";

test("a statement that writes is prepared once, however often it is asked for", () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE seen (row INTEGER NOT NULL) STRICT");
  const prepare = vi.spyOn(database, "prepare");
  const { run, change, all } = statements(database);
  const insert = "INSERT INTO seen VALUES (?)";
  for (const row of [1, 2, 3]) run<[number]>(insert)(row);
  expect(change(insert, 4)).toMatchObject({ changes: 1 });
  expect(prepare).toHaveBeenCalledTimes(1);
  expect(all<[], { row: number }>("SELECT row FROM seen ORDER BY row")()).toEqual(
    [1, 2, 3, 4].map((row) => ({ row })),
  );
  database.close();
});
