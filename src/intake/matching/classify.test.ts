import { describe, expect, it } from "vitest";
import { findIndustry, INDUSTRIES } from "../../contract/cities/industry.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { classifier, loadKeywords } from "./classify.ts";

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
