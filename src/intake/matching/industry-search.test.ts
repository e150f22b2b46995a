import { expect, test } from "vitest";
import { searchIndustries } from "./industry-search.ts";

const codes = (asked: string) => searchIndustries(asked).map(({ code }) => code);

test("a word of the rules, in several languages, leads to its class first", () => {
  expect(searchIndustries("bakery")[0]).toEqual({
    code: "4721",
    title: expect.stringContaining("food"),
    level: "class",
    section: expect.stringContaining("Wholesale"),
    words: ["bakery"],
  });
  expect(codes("Coiffeur")[0]).toBe("9621");
  expect(codes("BÄCKEREI")[0]).toBe("4721");
});

test("words of titles and codes are found, classes before groups", () => {
  const found = searchIndustries("hairdressing");
  expect(found.map(({ code, level }) => `${level} ${code}`)).toEqual(["class 9621", "group 962"]);
  expect(codes("962")).toEqual(["9621", "9622", "9623", "962"]);
  expect(codes("growing rice")).toEqual(expect.arrayContaining(["0112"]));
});

test("what fits nothing finds nothing", () => {
  for (const asked of ["", "  ", "xyzzy", "9999", "'; DROP TABLE"]) expect(codes(asked)).toEqual([]);
});
