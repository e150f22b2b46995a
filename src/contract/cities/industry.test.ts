import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { commonIndustry, findIndustry, INDUSTRIES, industryPath, isUnder } from "./industry.ts";

const REFERENCE = new URL("../../../../shared/reference/isic-rev5.csv", import.meta.url);

const anyCode = fc.constantFrom(...INDUSTRIES.map((industry) => industry.code));

describe("the taxonomy file", () => {
  it("has the counts of ISIC Revision 5", () => {
    const counts = Object.groupBy(INDUSTRIES, (industry) => industry.level);
    expect(Object.entries(counts).map(([level, all]) => [level, all.length])).toEqual([
      ["section", 22],
      ["division", 87],
      ["group", 258],
      ["class", 463],
    ]);
  });

  it("has unique codes, and each one's parent comes before it", () => {
    const seen = new Set<string>();
    for (const { code } of INDUSTRIES) {
      expect(seen).not.toContain(code);
      for (const ancestor of industryPath(code).slice(0, -1)) expect(seen).toContain(ancestor);
      seen.add(code);
    }
  });

  it.skipIf(!existsSync(REFERENCE))("agrees with the reference list (skipped when it is absent)", () => {
    const Row = z.object({
      code: z.string(),
      title: z.string(),
      level: z.string(),
      parent: z.string(),
      section: z.string(),
    });
    const rows = z.array(Row).parse(parse(readFileSync(REFERENCE), { columns: true }));
    const ours = INDUSTRIES.map(({ code, title, level, sectionCode }) => ({
      code,
      title,
      level,
      parent: industryPath(code).at(-2) ?? "",
      section: sectionCode,
    }));
    // The reference lost its no-break spaces to question marks in one title.
    expect(ours).toEqual(rows.map((row) => ({ ...row, title: row.title.replaceAll("?", " ") })));
  });
});

describe("industryPath and isUnder", () => {
  it("leads from the section to the code", () => {
    expect(industryPath("5610")).toEqual(["I", "56", "561", "5610"]);
    expect(industryPath("01")).toEqual(["A", "01"]);
    expect(industryPath("V")).toEqual(["V"]);
    expect(findIndustry("5610")).toEqual({
      code: "5610",
      title: "Restaurants and mobile food service activities",
      level: "class",
      sectionCode: "I",
      sectionTitle: "Accommodation and food service activities",
    });
  });

  it.each([
    ["5610", "I", true],
    ["5610", "56", true],
    ["5610", "5610", true],
    ["56", "5610", false],
    ["5610", "5", false],
    ["5610", "", false],
    ["5610", "A", false],
    ["9999", "9999", false],
    ["constructor", "constructor", false],
  ])("isUnder(%s, %s) is %s", (code, filter, expected) => {
    expect(isUnder(code, filter)).toBe(expected);
  });

  it("finds the narrowest common ancestor", () => {
    expect(commonIndustry(["5610"])).toBe("5610");
    expect(commonIndustry(["5610", "5621"])).toBe("56");
    expect(commonIndustry(["4711", "4719"])).toBe("471");
    expect(commonIndustry(["4711", "5610"])).toBeNull();
    expect(commonIndustry(["4711", "no such code"])).toBeNull();
    expect(commonIndustry([])).toBeNull();
  });

  it("gives an ancestor of all, whatever the order", () => {
    fc.assert(
      fc.property(anyCode, anyCode, anyCode, (a, b, c) => {
        const common = commonIndustry([a, b, c]);
        expect(commonIndustry([c, a, b])).toBe(common);
        if (common !== null) expect([a, b, c].every((code) => isUnder(code, common))).toBe(true);
      }),
    );
  });
});
