import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { cleanName, isGenericName } from "./name.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(..."aZ é\u0301İß&#.'’12 \t\u200b\u202e\ud800\udc00가ガとगि".split("")) }),
);

describe("cleanName", () => {
  it.each([
    ["Joe's Pizza", "Joe's Pizza"],
    ["  Joe's \t\r\n Pizza ", "Joe's Pizza"],
    ["Cafe\u0301", "Café"],
    ["Joe\u0000\u0007s", "Joes"],
    ["\u202eazziP\u202c", "azziP"],
    ["Pi\u200bz\u00adz\ufeffa", "Pizza"],
    ["e\u200b\u0301", "é"],
    ["a\ud800b", "ab"],
    ["\u{1f355} Pizza", "\u{1f355} Pizza"],
    ["x".repeat(120), "x".repeat(120)],
    ["\u{1f355}".repeat(120), "\u{1f355}".repeat(120)],
  ])("%j becomes %j", (raw, name) => {
    expect(cleanName(raw)).toEqual({ name });
  });

  it.each(["", " ", "\t\n", "\u200b\u202e", "\u3164", "\ud800"])("refuses the empty name %j", (raw) => {
    expect(cleanName(raw)).toEqual({ reason: "empty_name" });
  });

  it.each([["x".repeat(121)], ["\u{1f355}".repeat(121)], ["x".repeat(1_000_000)], [" ".repeat(1_000_000)]])(
    "refuses a name that is too long (%#)",
    (raw) => {
      expect(cleanName(raw)).toEqual({ reason: "name_too_long" });
    },
  );

  it("gives publishable text that cleaning leaves alone", () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        const cleaned = cleanName(raw);
        if (!("name" in cleaned)) return;
        expect(cleanName(cleaned.name)).toEqual(cleaned);
        expect(cleaned.name).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]|^\s|\s$|\s\s/u);
        expect(() => canonicalJson(cleaned.name)).not.toThrow();
      }),
    );
  });
});

describe("isGenericName", () => {
  it.each(["Restaurant", "FOR LEASE", "À louer", "se vende", "Geöffnet", "营业中", "1234", "#12", "!!"])(
    "%s names no business",
    (name) => {
      expect(isGenericName(nameKey(name))).toBe(true);
    },
  );

  it.each(["Joe's Restaurant", "Open Table", "Forever 21", "The Gap"])("%s may name one", (name) => {
    expect(isGenericName(nameKey(name))).toBe(false);
  });
});
