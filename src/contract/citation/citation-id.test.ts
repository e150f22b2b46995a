import { expect, test } from "vitest";
import { type CitationParts, citationCheck, citationId, parseCitationId } from "./citation-id.ts";

const parts: CitationParts = {
  publicId: "demo_3ej6t9nar63cvf4e",
  row: 1234,
  treeSize: 16_690,
  asOfDate: "2026-11-20",
  version: "v1",
  check: "4g7t0mxw",
};
const ID = "demo_3ej6t9nar63cvf4e.1234.16690.2026-11-20.v1.4g7t0mxw";

test("an id names its parts, and they are read back from it", () => {
  expect(citationId(parts)).toBe(ID);
  expect(parseCitationId(ID)).toEqual(parts);
  expect(encodeURIComponent(ID)).toBe(ID);
});

test("a citation without a row has the row 0", () => {
  expect(parseCitationId(ID.replace("1234", "0"))?.row).toBe(0);
});

test("the check is 8 characters of the words", () => {
  expect(citationCheck("a")).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
  expect(citationCheck("a")).not.toBe(citationCheck("b"));
});

test.each([
  ["another spelling of a number", ID.replace("1234", "01234")],
  ["a sign", ID.replace("1234", "+1234")],
  ["an exponent", ID.replace("16690", "1e4")],
  ["a tree of no rows", ID.replace("16690", "0")],
  ["a day that there is not", ID.replace("11-20", "02-30")],
  ["another spelling of a day", ID.replace("2026-11-20", "2026-11-2")],
  ["an unknown version", ID.replace("v1", "v2")],
  ["a future version", ID.replace("v1", "v999")],
  ["capitals in the check", ID.replace("4g7t0mxw", "4G7T0MXW")],
  ["a short check", ID.slice(0, -1)],
  ["something after it", `${ID}.`],
  ["a line break after it", `${ID}\n`],
  ["space before it", ` ${ID}`],
  ["other digits", ID.replace("1234", "١٢٣٤")],
  ["letters of another script", ID.replace("demo", "dеmo")],
  ["a path", ID.replace("demo_", "../")],
  ["markup", ID.replace("demo_", "<b>")],
  ["no parts", "....."],
  ["nothing", ""],
  ["a name of objects", "__proto__"],
  ["a very long text", `${"a".repeat(1_000_000)}`],
  ["a long public id", ID.replace("demo", "d".repeat(100))],
])("%s is no id", (_what, text) => {
  expect(parseCitationId(text)).toBeUndefined();
});
