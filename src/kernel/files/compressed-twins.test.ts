import { expect, test } from "vitest";
import { formatTwinList, isCompressible, isWorthwhile, parseTwinList } from "./compressed-twins.ts";

test("texts are compressed, and what is packed already is not", () => {
  expect(["a/index.html", "a.json", "a.geojson"].filter(isCompressible)).toHaveLength(3);
  expect(["a.woff2", "a.parquet", "a.png", "ledger/checkpoint"].filter(isCompressible)).toEqual([]);
});

test("a twin saves a packet", () => {
  expect(isWorthwhile(600, 2000)).toBe(true);
  expect(isWorthwhile(601, 2000)).toBe(false);
  expect(isWorthwhile(3000, 2000)).toBe(false);
});

test("the list is sorted by path and read back, without lines that are none", () => {
  const [one, two] = ["1".repeat(64), "2".repeat(64)];
  const list = formatTwinList(
    new Map([
      ["b.json.gz", one],
      ["a.json.gz", two],
      ["a.json.br", one],
    ]),
  );
  expect(list).toBe(`${one}  a.json.br\n${two}  a.json.gz\n${one}  b.json.gz\n`);
  expect(formatTwinList(parseTwinList(`${list}${one}  a.json\nnone\n`))).toBe(list);
});
