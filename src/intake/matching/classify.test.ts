import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findIndustry, INDUSTRIES } from "../../contract/cities/industry.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import {
  brandIndustries,
  classifier,
  INDUSTRY_OF_CATEGORY,
  loadBrands,
  loadKeywords,
  readBrandNames,
} from "./classify.ts";

describe("classify", () => {
  const { classify, isBrand } = classifier({
    brands: new Map([
      ["shell", "4730"],
      ["pizza hut", "5610"],
      ["open brand bakery", null],
    ]),
    keywords: loadKeywords(),
  });
  const suggested = (industry: string) => ({
    industry,
    method: "name_rule",
    state: "review",
    authoritative: false,
  });

  describe("classify", () => {
    it("takes a declared code of any level as authoritative, whatever the name says", () => {
      for (const { code } of INDUSTRIES) {
        expect(classify({ nameKey: "shell", declared: code })).toEqual({
          industry: code,
          method: "declared",
          state: "declared",
          authoritative: true,
        });
      }
    });

    it.each(["", "9999", "5611", "i", "56 10", "constructor"])("refuses the declared code %j", (declared) => {
      expect(classify({ nameKey: "shell", declared })).toEqual({ reason: "unknown_industry_code" });
    });

    it("prefers the brand list, and falls back on words where it leaves the industry open", () => {
      expect(classify({ nameKey: "shell" })).toEqual(suggested("4730"));
      expect(classify({ nameKey: "open brand bakery" })).toEqual(suggested("4721"));
      expect(["shell", "open brand bakery", "joes pizza"].map(isBrand)).toEqual([true, true, false]);
    });

    it.each([
      ["Joe's Pizza", "5610"],
      ["Bank Street Pizza", "5610"],
      ["Smith Dental Clinic", "8620"],
      ["Wong's Coin Laundry Ltd.", "9610"],
      ["A-1 Auto Parts", "4782"],
      ["A-1 Auto Repair", "9531"],
      ["Farmacia San José", "4772"],
      ["Boulangerie Dupont", "4721"],
      ["Zahnarztpraxis Dr. Weiß", "8620"],
      ["Fahrschule Müller", "8553"],
      ["St. Mary's Church", "9491"],
      ["Lincoln High School", "8531"],
      ["Lincoln School", "85"],
      ["Acme Plumbing & Heating", "4322"],
    ])("suggests an industry for %s", (name, industry) => {
      expect(classify({ nameKey: nameKey(name) })).toEqual(suggested(industry));
    });

    it.each(["", "smith and sons", "barbara", "constructor"])("leaves %j unclassified", (key) => {
      const unclassified = {
        industry: null,
        method: "unclassified",
        state: "unclassified",
        authoritative: false,
      };
      expect(classify({ nameKey: key })).toEqual(unclassified);
      expect(classify({ nameKey: key })).toEqual(unclassified);
    });
  });

  describe("the keyword file", () => {
    it("leads to ISIC codes only and has each phrase in the form it is looked up by", () => {
      for (const [phrase, code] of loadKeywords()) {
        expect(findIndustry(code), phrase).toBeDefined();
        expect(nameKey(phrase)).toBe(phrase);
        expect(phrase).not.toBe("");
      }
    });
  });
});

describe("brands", () => {
  const TAG_COUNTS = new URL("../../../../shared/reference/nsi-tag-counts.csv", import.meta.url);

  describe("brandIndustries", () => {
    const names = new Map([
      ["amenity/fuel", ["Shell", "Fill Up"]],
      ["shop/convenience", ["SHELL", "Fill-Up", "Market"]],
      ["amenity/car_wash", ["Shell"]],
      ["advertising/totem", ["Totem Brand"]],
      ["shop/bakery", ["Twin"]],
      ["shop/alcohol", ["Twin"]],
    ]);

    it("follows the places on the map, else what the categories have in common", () => {
      const counts = { "amenity/fuel|Shell": 27, "shop/convenience|Shell": 3, "shop/bakery|Nobody": 9 };
      expect(Object.fromEntries(brandIndustries(names, counts))).toEqual({
        shell: "4730",
        "fill up": "47",
        "totem brand": null,
        twin: "472",
      });
    });

    it("does not depend on the order of the categories", () => {
      const reversed = new Map([...names].reverse());
      expect(new Map([...brandIndustries(reversed, {})].sort())).toEqual(
        new Map([...brandIndustries(names, {})].sort()),
      );
    });
  });

  describe("the category table", () => {
    it("uses ISIC codes only and names each category once", () => {
      expect([...INDUSTRY_OF_CATEGORY.values()].filter((code) => findIndustry(code) === undefined)).toEqual(
        [],
      );
      const file = readFileSync(new URL("../../../data/nsi-isic.json", import.meta.url), "utf8");
      const listed = file.match(/"[a-z_]+\/[a-z_-]+"/g) ?? [];
      expect(listed).toHaveLength(INDUSTRY_OF_CATEGORY.size);
    });

    it("knows only categories of the package, and all categories but a few", () => {
      const names = readBrandNames();
      expect([...INDUSTRY_OF_CATEGORY.keys()].filter((category) => !names.has(category))).toEqual([]);
      expect(INDUSTRY_OF_CATEGORY.size / names.size).toBeGreaterThanOrEqual(0.95);
    });

    it.skipIf(!existsSync(TAG_COUNTS))(
      "covers 95 % of the brand items (skipped when the counts are absent)",
      () => {
        const Row = z.object({
          tree: z.string(),
          osm_key: z.string(),
          osm_value: z.string(),
          items: z.coerce.number(),
        });
        const rows = z.array(Row).parse(parse(readFileSync(TAG_COUNTS), { columns: true }));
        const brands = rows.filter((row) => row.tree === "brands");
        const total = (some: typeof brands) => some.reduce((sum, row) => sum + row.items, 0);
        const covered = brands.filter((row) => INDUSTRY_OF_CATEGORY.has(`${row.osm_key}/${row.osm_value}`));
        expect(total(covered) / total(brands)).toBeGreaterThanOrEqual(0.95);
      },
    );
  });

  describe("the brand list of the package", () => {
    const brands = loadBrands();

    it.each([
      ["mcdonalds", "5610"],
      ["starbucks", "5630"],
      ["shell", "4730"],
      ["walmart", "4711"],
      ["ikea", "4759"],
      ["toyota", "4781"],
      ["scotiabank", "6419"],
      ["hilton", "5510"],
    ])("knows %s as %s", (key, industry) => {
      expect(brands.get(key)).toBe(industry);
    });

    it("holds no generic word", () => {
      for (const key of ["market", "restaurant", "park", ""]) expect(brands.has(key)).toBe(false);
    });
  });
});
