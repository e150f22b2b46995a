/** The SQL of docs/data-questions.md names files and columns that exports have; DuckDB itself runs it only in the trial. */
import { expect, test } from "vitest";
import {
  CITY_TABLE_NAMES,
  CITY_TABLES,
  cityTableFile,
  cityTablePath,
} from "../../src/contract/service/city-tables.ts";
import { EXPORT_TABLES, PARQUET_EXPORTS } from "../../src/render/formats/exports.ts";
import { questions } from "../../src/site/pages/data.ts";
import { projectText } from "./markdown.ts";

/** Columns of each file that a query may read, by its path. */
const FILES = new Map<string, readonly string[]>([
  ...PARQUET_EXPORTS.map(({ path, table }) => [path, columnsOf(EXPORT_TABLES[table])] as const),
  ...CITY_TABLE_NAMES.map(
    (name) => [cityTablePath("*", cityTableFile(name, "parquet")), columnsOf(CITY_TABLES[name])] as const,
  ),
]);

function columnsOf(table: { readonly row: { readonly shape: object } } | undefined): readonly string[] {
  return Object.keys(table?.row.shape ?? {});
}

const SOURCE = /(?:FROM|JOIN) '([^']+)'(?: AS (\w+))?/g;
const NAME = /\b(?:([a-z]\w*)\.)?([a-z]\w*)\b(?!\()/g; // keywords are in capitals

/** Names in a query that are no columns of the files that it reads. */
function unknownNames(sql: string): string[] {
  const sources = [...sql.matchAll(SOURCE)].map(([, path = "", alias]) => ({ path, alias }));
  const missing = sources.flatMap(({ path }) => (FILES.has(path) ? [] : [path]));
  const own = new Set([...sql.matchAll(/ AS (\w+)/g)].map(([, name]) => name));
  const names = [...sql.replace(/'[^']*'/g, "").matchAll(NAME)].filter(
    ([whole, table, name = ""]) =>
      !own.has(whole) &&
      !sources.some(
        ({ path, alias }) => (table === undefined || table === alias) && FILES.get(path)?.includes(name),
      ),
  );
  return [...missing, ...names.map(([whole]) => whole)];
}

test.each(questions(projectText("docs/data-questions.md")))("$title", ({ sql }) => {
  expect(sql).toMatch(/^SELECT /);
  expect(unknownNames(sql)).toEqual([]);
});

test.each([
  ["SELECT nome FROM 'city/*/records.parquet';", "nome"],
  ["SELECT city FROM 'coverage.parquet';", "coverage.parquet"],
  [
    "SELECT a.verif_state FROM 'city/*/records.parquet' AS a JOIN 'city/*/events.parquet' AS b ON true;",
    "a.verif_state",
  ],
])("%s is found", (sql, name) => expect(unknownNames(sql)).toContain(name));
