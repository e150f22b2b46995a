import { expect, test } from "vitest";
import { joinTypedRows, readTypedId, typedId } from "./typed-id.ts";

test.each([
  ["3503", "3503"],
  ["3,503", "3503"],
  ["row 3503", "3503"],
  ["row-3503", "3503"],
  ["Row: 1,003,503", "1003503"],
  ["https://presence.example/ledger/proof/3503", "3503"],
  ["/verify/?row=3503", "3503"],
  ["b12", "b12"],
  ["batch b12", "b12"],
  [" B12:345 ", "b12:345"],
  ["line 345 of batch b12", "b12:345"],
  ["https://presence.example/record/pr_7k2m/", "pr_7k2m"],
  ["/api/v1/entity/pr_7k2m/evidence?x=1", "pr_7k2m"],
  ["pr_7k2m", "pr_7k2m"],
])("%s is typed as %s", (typed, id) => {
  expect(typedId(typed)).toBe(id);
});

test.each(["3,50", "row", "1e3", "-3", "Café 1900", "match-12", "b", "../record/pr_7k2m", "9".repeat(16)])(
  "%s stays what it is",
  (text) => expect(typedId(text)).toBe(text),
);

test("an item of a row is that row; a name is no id", () => {
  expect(readTypedId("match-4711")).toEqual({ kind: "row", row: 4711 });
  expect(readTypedId("batch b12")).toEqual({ kind: "batch", batch: "b12" });
  expect(readTypedId("b12:3")).toEqual({ kind: "line", batch: "b12", line: 3 });
  expect(readTypedId("/record/pr_1/")).toEqual({ kind: "public_id", publicId: "pr_1" });
  for (const name of ["Bakery 12", "independence-1234567890123456", ""])
    expect(readTypedId(name)).toBeUndefined();
});

test("a row that was typed as two words is one", () => {
  expect(joinTypedRows(["proof", "row", "3503", "--url", "x"])).toEqual(["proof", "row 3503", "--url", "x"]);
  expect(joinTypedRows(["--row", "3503", "row", "house"])).toEqual(["--row", "3503", "row", "house"]);
});
