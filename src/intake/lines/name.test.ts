import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { checkedName, cleanName, isGenericName, standsForNoName } from "./name.ts";

const shapers = [
  "\u200c",
  "\u200d",
  "\ufe0f",
  "\ufe01",
  "\u{e0101}",
  "\u180b",
  "\u180e",
  "\u{e0067}",
  "\u{e007f}",
];
const shapeable = [
  "a",
  "é",
  "\u0301",
  "می",
  "র",
  "\u09cd",
  "ᠠ",
  "葛",
  "5",
  "\u20e3",
  "❤",
  "👩",
  "🏽",
  "🏴",
  "\u200b",
  " ",
];
const anyText = fc.oneof(
  fc.array(fc.constantFrom(...shapers, ...shapeable)).map((parts) => parts.join("")),
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

  it.each([
    ["Persian", "کتاب\u200cفروشی می\u200cخواهم"],
    ["ZWJ after heh, with the vowel of a Persian word", "خانه\u064e\u200cی"],
    ["Bengali ra with ya-phala", "র\u200d\u09cdযাব"],
    ["Malayalam chillu at the end", "അവന\u0d4d\u200d"],
    ["a German word without its ligature", "Auf\u200clage"],
    ["Mongolian", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠠ\u180b"],
    ["an ideograph's variant", "葛\u{e0100}飾"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} Diner"],
    ["a heart on fire", "\u2764\ufe0f\u200d\u{1f525} Grill"],
    ["a cook with a skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f373}"],
    ["England", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} Pub"],
    ["keycaps", "Pizza 2\ufe0f\u20e34\u20e3"],
    ["a trademark as an emoji", "Joe™\ufe0f"],
  ])("leaves %s", (_, name) => {
    expect(cleanName(name)).toEqual({ name });
  });

  it.each([
    ["a joiner beside no letter", "Joe\u200d & \u200cSons\u200c", "Joe & Sons"],
    ["joiners in a row", "می\u200c\u200c\u200dخواهم", "می\u200cخواهم"],
    ["a joiner between a letter and its accent", "Cafe\u200d\u0301", "Café"],
    ["a selector after a Latin letter", "Jo\ufe0fe", "Joe"],
    ["selectors in a row", "❤\ufe0f\ufe0f\ufe01", "❤\ufe0f"],
    ["tags that hide a text", "Joe\u{e0049}\u{e0067}\u{e006e} \u{1f3f4}\u{e0067}\u{e0062}", "Joe \u{1f3f4}"],
  ])("takes away %s", (_, raw, name) => {
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
        expect(cleaned.name).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2060\ufeff]|^\s|\s$|\s\s/u);
        expect(() => canonicalJson(cleaned.name)).not.toThrow();
      }),
    );
  });
});

describe("standsForNoName", () => {
  it.each([
    ...[
      "N/A",
      "n/a",
      "#N/A",
      "N.A.",
      "n.a",
      "NA",
      "N / A",
      "N\\A",
      "Ｎ／Ａ",
      "#REF!",
      "#NAME?",
      "#VALUE!",
      "#¡VALOR!",
      "#BEZUG!",
    ],
    ...[
      "NULL",
      "<null>",
      "(null)",
      "None",
      "nil",
      "<nil>",
      "NaN",
      "undefined",
      "[object Object]",
      "DBNull",
      "(blank)",
      '"null"',
    ],
    ...[
      "Unknown",
      "UNKNOWN NAME",
      "no name",
      "NoName",
      "No_Name",
      "no-name",
      "(no name)",
      "Unnamed",
      "T.B.D.",
      "TBD",
      "-",
      "--",
      "—",
    ],
    ...[
      "?",
      "???",
      "...",
      "…",
      "***",
      "/",
      "sin nombre",
      "Sense nom",
      "S/N",
      "Inconnu",
      "Sans Nom",
      "onbekend",
      "Geen naam",
    ],
    ...[
      "unbekannt",
      "OHNE NAMEN",
      "Okänd",
      "namn saknas",
      "NÃO INFORMADO",
      "Néant",
      "不明",
      "店名不明",
      "名前なし",
      "未知",
      "нет",
      "없음",
    ],
  ])("%s", (name) => {
    expect(standsForNoName(name)).toBe(true);
    expect(() => checkedName(name)).toThrow("stands for no name");
  });

  it.each([
    ...[
      "Unknown Pleasures",
      "Nil's",
      "None Such Books",
      "No Name Pub",
      "Nan's Kitchen",
      "Null & Void",
      "The Unknown",
      "Naan",
    ],
    ...[
      "TBD Brewing",
      "Undefined Coffee",
      "Sans Nom Bistro",
      "S/N 5",
      "Blank",
      "K.A.",
      "N&A",
      "#LOVE!",
      "A",
      "7",
      "?!x",
      "$$$",
      "🍕",
    ],
  ])("%s may be a name", (name) => {
    expect(standsForNoName(name)).toBe(false);
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
