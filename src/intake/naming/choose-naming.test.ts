import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWebsite } from "../../kernel/text/contacts.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { cleanName } from "../lines/name.ts";
import { classifier } from "../matching/classify.ts";
import { chooseNaming, displayName, type NamingFacts, type Said } from "./choose-naming.ts";

describe("choose naming", () => {
  const { classify } = classifier({ brands: new Map(), keywords: new Map([["bakery", "1071"]]) });

  type Line = Partial<{ principal: string | undefined; name: string; website: string; industry: string }>;

  function said(lines: readonly Line[]): Said[] {
    return lines.map(({ principal, name = "Ter Muren", website, industry }, at) => ({
      ...{ row: at + 10, principal, name, industry },
      website: website === undefined ? undefined : readWebsite(website),
    }));
  }

  function choose(lines: readonly Line[], more: Partial<NamingFacts> = {}) {
    return chooseNaming({ taught: said(lines), first: { name: "First" }, ...more }, classify);
  }

  const by = (principals: string, line: Line) => [...principals].map((principal) => ({ principal, ...line }));

  describe("the name", () => {
    test("is that of most principals, not of most rows", () => {
      const lines = [...by("aaaa", { name: "Rabo" }), ...by("bc", { name: "Chocolaterie Rabo" })];
      expect(choose(lines).shown.name).toBe("Chocolaterie Rabo");
    });

    test("has the spelling of most principals among those of its key, not the one of most in all", () => {
      const lines = [
        ...by("ab", { name: "SLAGERIJ TER MUREN" }),
        ...by("c", { name: "Slagerij Termuren" }),
        ...by("def", { name: "Slagerij Termuren!" }),
        ...by("gh", { name: "Slagerij TerMuren" }),
      ];
      expect(choose(lines).shown.name).toBe("Slagerij Termuren!");
    });

    test("is the earliest of equals", () => {
      expect(choose([...by("a", { name: "Rabo" }), ...by("b", { name: "Raba" })]).shown.name).toBe("Rabo");
      expect(choose([...by("a", { name: "RABO" }), ...by("b", { name: "Rabo" })]).shown.name).toBe("RABO");
    });

    test("is what registered sources say, wherever they say anything", () => {
      const lines = [{ name: "Muren" }, { name: "Muren" }, ...by("a", { name: "Ter Muren" })];
      expect(choose(lines).shown.name).toBe("Ter Muren");
      expect(choose([{ name: "Müller" }, ...by("a", { name: "Muller" })]).shown.name).toBe("Muller");
      expect(choose([{ name: "Muren" }]).shown.name).toBe("Muren");
    });

    test("is without pictographs and store numbers, which make no spelling of their own", () => {
      const lines = [...by("ab", { name: "Rival 💩 Bakery #6" }), ...by("c", { name: "Rival Bakery" })];
      expect(choose(lines).shown.name).toBe("Rival Bakery");
      expect(choose([], { first: { name: "Rival 💩☠ Bakery #666" } }).shown.name).toBe("Rival Bakery");
    });
  });

  describe("the website", () => {
    const shop = { website: "https://shop.example/menu" };

    test("is one that two principals named, and never that of one, of the built-in sources, or of many businesses", () => {
      expect(choose(by("ab", shop)).shown.website).toBe("https://shop.example/menu");
      expect(choose(by("aa", shop)).shown.website).toBeNull();
      expect(choose([{ principal: undefined, ...shop }, ...by("a", shop)]).shown.website).toBeNull();
      expect(choose(by("ab", { website: "facebook.com" })).shown.website).toBeNull();
      expect(choose([], { first: { name: "First" } }).shown.website).toBeNull();
    });

    test("has the spelling of most principals; www and a missing scheme are no other address", () => {
      const lines = [
        ...by("a", { website: "http://www.shop.example/" }),
        ...by("bc", { website: "shop.example" }),
        ...by("de", { website: "other.example" }),
      ];
      expect(choose(lines).shown.website).toBe("https://shop.example");
    });
  });

  describe("the industry", () => {
    const declared = (industry: string) => ({ industry, industry_method: "declared" });

    test("is any declaration of a row that counts, also of a built-in source", () => {
      expect(choose([...by("ab", {}), { principal: undefined, industry: "5610" }])).toMatchObject({
        shown: declared("5610"),
        tied: [],
      });
    });

    test("is what registered sources declare, wherever they declare any", () => {
      expect(choose([{ industry: "5610" }, ...by("a", { industry: "4721" })])).toMatchObject({
        shown: declared("4721"),
        tied: [],
      });
    });

    test("is that of most principals; on a tie the present one stays, and a reviewer is asked", () => {
      const two = [...by("aa", { industry: "5610" }), ...by("b", { industry: "4721" })];
      const present = {
        name: "Ter Muren",
        website: null,
        industry: "4721",
        industry_method: "declared",
      } as const;
      expect(choose(two)).toMatchObject({
        shown: declared("5610"),
        tied: [{ industry: "5610" }, { industry: "4721" }],
      });
      expect(choose(two, { present })).toMatchObject({
        shown: declared("4721"),
        tied: [{ industry: "5610" }, { industry: "4721" }],
      });
      expect(choose([...two, ...by("c", { industry: "4721" })])).toEqual({
        shown: { name: "Ter Muren", website: null, ...declared("4721") },
        tied: [],
      });
    });

    test("comes from the name where nothing was declared, and stays with the name", () => {
      expect(choose(by("a", { name: "Rabo Bakery" })).shown).toMatchObject({
        industry: "1071",
        industry_method: "name_rule",
      });
      expect(choose([], { first: { name: "Rabo" } }).shown).toMatchObject({
        industry: null,
        industry_method: "unclassified",
      });
      const present = {
        name: "RABO",
        website: null,
        industry: "5610",
        industry_method: "name_rule",
      } as const;
      expect(choose(by("a", { name: "Rabo" }), { present }).shown.industry).toBe("5610");
      expect(choose(by("a", { name: "Rabo 2" }), { present }).shown.industry).toBeNull();
      const was = { ...present, industry_method: "declared" } as const; // by a row that counts no longer
      expect(choose(by("a", { name: "Rabo" }), { present: was }).shown.industry).toBeNull();
    });
  });

  const anyLine = fc.record({
    principal: fc.constantFrom("a", "b", "c", "d", undefined),
    name: fc.constantFrom(
      "Rabo",
      "RABO",
      "Rabo 💩",
      "Rabo #7",
      "Chocolaterie Rabo",
      "Slagerij Ter Muren",
      "★",
    ),
    website: fc.constantFrom("shop.example", "http://www.shop.example", "other.example", "facebook.com"),
    industry: fc.constantFrom("5610", "4721", "1071"),
  });
  const MANY = { numRuns: 500, seed: 40 };

  test("one principal, however many lines it sends, changes nothing that two others agree about", () => {
    fc.assert(
      fc.property(fc.nat(50), (length) => {
        const agreed = by("xy", { name: "Ter Muren", website: "ter-muren.example", industry: "4721" });
        const flood = by("z".repeat(length), { name: "Evil", website: "evil.example", industry: "5610" });
        const { shown } = choose([...flood, ...agreed]);
        expect(shown).toEqual({
          ...{ name: "Ter Muren", website: "https://ter-muren.example" },
          ...{ industry: "4721", industry_method: "declared" },
        });
      }),
      MANY,
    );
  });

  test("the choice is one of what was said, settles at once, and depends on the first row of each principal's words alone", () => {
    fc.assert(
      fc.property(fc.array(anyLine, { minLength: 1 }), (lines) => {
        const { shown } = choose(lines);
        expect(lines.map(({ name }) => nameKey(name))).toContain(nameKey(shown.name));
        expect(choose(lines, { present: shown }).shown).toEqual(shown);
        expect(choose([...lines, ...lines]).shown).toEqual(shown);
      }),
      MANY,
    );
  });
});

describe("display name", () => {
  test.each([
    ["Rival 💩☠ Bakery #666", "Rival Bakery"],
    ["Rival💩Bakery", "Rival Bakery"],
    ["❤\ufe0f\u200d🔥 Grill", "Grill"],
    ["👩‍👩‍👧 Family Dentist 🇨🇦", "Family Dentist"],
    ["★ Hotel ★★★★", "Hotel"],
    ["SOBEYS (STORE #7383)", "SOBEYS"],
    ["Subway No. 12", "Subway"],
    ["Subway - Store 12", "Subway"],
    ["Pizza Castle #12 - Downtown", "Pizza Castle - Downtown"],
    ["Pizza Castle Store 12 Inc.", "Pizza Castle Inc."],
    ["Safeway Store 0045", "Safeway"],
    ["7-Eleven 00345", "7-Eleven"],
  ])("%s is shown as %s", (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });

  test.each([
    "Chez L'Ami, S.A. (depuis 1921) & Fils!",
    "Forever 21",
    "7-Eleven",
    "Toys®R™Us",
    "O'Neill's – Bar/Grill",
    "H&M",
    "Yahoo!",
    "Wok «8»",
    "No. 1 Nails & Spa",
    "🈚 Studio", // the box has a letter
  ])("%s stays as it is", (name) => {
    expect(displayName(name)).toBe(name);
  });

  test.each(["💩", "#12", "Store 0045", "★★★"])("%s, of which nothing would be left, stays", (name) => {
    expect(displayName(name)).toBe(name);
  });

  const parts = [
    ..."aZé 12#'’&-,()/|.💩☠❤★→🈚🅿ⓂΣ가ガ",
    ..."\u200d\ufe0f\u{1f1e8}\u{1f3fd}\u20e3".split(""),
    ...[" #12", " Store 12", " No. 7", " 0045", " Inc.", " & Co", " the ", "(Store #7)", "🇨🇦", "7️⃣"],
  ];
  const cleaned = (name: string) => {
    const result = cleanName(name);
    return "name" in result ? result.name : undefined;
  };

  test("a shown name has the key of the name, is clean, and stays what it is", () => {
    const names = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((chosen) => chosen.join("")),
    );
    fc.assert(
      fc.property(names, (raw) => {
        const name = cleaned(raw);
        fc.pre(name !== undefined);
        const shown = displayName(name);
        expect(nameKey(shown)).toBe(nameKey(name));
        expect(displayName(shown)).toBe(shown);
        expect(cleaned(shown)).toBe(shown);
      }),
      { numRuns: 3000, seed: 40 },
    );
  });
});
