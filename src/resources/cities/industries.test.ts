import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { INDUSTRIES } from "../../contract/cities/industry.ts";
import { cityIndustries } from "./industries.ts";

const contextOf = (codes: readonly (string | null)[]) =>
  fakeContext({ records: codes.map((industry, at) => fakeRecord(at + 1, { industry })) });

test("sections before their codes, only exact codes, and a code counts what lies below it", () => {
  const found = cityIndustries(contextOf(["5610", "4711", "47", "5610", null]), "alpha");
  expect(found.map(({ code, section, level, records }) => [code, section, level, records])).toEqual([
    ["G", "G", "section", 2],
    ["47", "G", "division", 2],
    ["4711", "G", "class", 1],
    ["I", "I", "section", 2],
    ["5610", "I", "class", 2],
  ]);
  expect(found[0]?.title).toBe(INDUSTRIES.find(({ code }) => code === "G")?.title);
  expect(cityIndustries(contextOf([null]), "alpha")).toEqual([]);
  expect(cityIndustries(contextOf(["5610"]), "nowhere")).toEqual([]);
});

test("each count is that of the index under the same filter", () => {
  const codes = fc.array(fc.constantFrom(...INDUSTRIES.map(({ code }) => code), null), { maxLength: 20 });
  fc.assert(
    fc.property(codes, (drawn) => {
      const context = contextOf(drawn);
      const found = cityIndustries(context, "alpha");
      for (const { code, records } of found)
        expect(records).toBe(context.snapshot.cityIndexCount("alpha", { industry: code }));
      const sections = found.filter(({ level }) => level === "section");
      expect(sections.reduce((sum, { records }) => sum + records, 0)).toBe(
        drawn.filter((code) => code !== null).length,
      );
      const order = INDUSTRIES.map(({ code }) => code);
      const places = found.map(({ code }) => order.indexOf(code));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }),
  );
});
