import { expect, test } from "vitest";
import { CITY_TABLE_FILES, CITY_TABLE_NAMES, CITY_TABLES } from "./city-tables.ts";

test.each(CITY_TABLE_NAMES)(
  "the keys of %s are columns, here and in the table that they lead to",
  (table) => {
    const { row, key, foreignKeys } = CITY_TABLES[table];
    const columns = ["city_slug", key, ...foreignKeys.map(({ column }) => column)];
    expect(Object.keys(row.shape)).toEqual(expect.arrayContaining(columns));
    for (const { table: other, to } of foreignKeys) expect(CITY_TABLES[other].row.shape).toHaveProperty(to);
  },
);

test("every file of a city has a name of its own", () => {
  expect(new Set(CITY_TABLE_FILES).size).toBe(2 * CITY_TABLE_NAMES.length);
  expect(CITY_TABLE_FILES).toEqual(expect.arrayContaining(["records.parquet", "observations.csv.gz"]));
});
