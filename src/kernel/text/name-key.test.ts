import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import corpus from "../../../fixtures/name-keys.json" with { type: "json" };
import { sha256Hex } from "../hash.ts";
import { NAME_KEY_VERSION, nameKey } from "./name-key.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(
      ..."aZ é\u0301İß&#.'’12 \t\u200b\u202e\ud800\udc00가\u1100\u1161ガとगि\u093c\u0483".split(""),
    ),
  }),
  fc
    .array(
      fc.constantFrom("the", "Inc.", "S.A.", "& Co", "#12", "Store", "No.", "0045", "and", "de", "Joe's"),
    )
    .map((words) => words.join(" ")),
);

test("every version of nameKey has its own keys: who changes one raises the version, and says here what the keys are", () => {
  const keys = corpus.map(([name = ""]) => nameKey(name));
  expect(keys).toEqual(corpus.map(([, key]) => key));
  expect(sha256Hex(JSON.stringify(corpus))).toBe(KEYS_OF_VERSION[NAME_KEY_VERSION]);
});

const KEYS_OF_VERSION: Readonly<Record<number, string>> = {
  1: "c94cfdca6a7a55024a340b476a296bb1dd9bad9dbd2cb1b653bd7906b2a382c4",
};

describe("nameKey", () => {
  it.each([
    ["McDonald's #123", "mcdonalds"],
    ["McDONALD’S", "mcdonalds"],
    ["The Home Depot Inc.", "home depot"],
    ["Müller GmbH & Co. KG", "muller"],
    ["Café Olé, S.A. de C.V.", "cafe ole"],
    ["SOBEYS (STORE #7383)", "sobeys"],
    ["Subway No. 12", "subway"],
    ["Safeway Store 0045", "safeway"],
    ["7-Eleven 00345", "7 eleven"],
    ["Forever 21", "forever 21"],
    ["کتاب\u200cفروشی", "کتابفروشی"],
    ["کتابفروشی", "کتابفروشی"],
    ["❤\ufe0f\u200d🔥 Grill", "grill"],
    ["葛\u{e0100}飾", "葛飾"],
    ["Oʻzbek Ŋŉ 5″", "ozbek ŋn 5"],
    ["Ben & Jerry's", "ben and jerrys"],
    ["Ben and Jerrys", "ben and jerrys"],
    ["Łódź Straße", "lodz strasse"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ガスト", "ガスト"],
    ["रिलायंस", "रिलायंस"],
    ["ＣＡＦＥ", "cafe"],
    ["Co", "co"],
    ["The The", "the the"],
    ["#123", ""],
    ["Store 0045", ""],
    ["---", ""],
  ])("%j becomes %j", (name, key) => {
    expect(nameKey(name)).toBe(key);
  });

  it.each([..."'`´‘’‛ʹʻʼʽʾʿˈˊˋ\u0374\u0384՚׳ߴ\u1fbd\u1fef\u1ffd′‵❛❜Ꞌꞌ＇｀"])(
    "an apostrophe may be typed as %s",
    (mark) => {
      expect(nameKey(`JOE${mark}S Café`)).toBe("joes cafe");
      expect(nameKey(`Joe${mark}s Bar`)).toBe("joes bar");
    },
  );

  it("keeps a key as it is, ignores case, and holds only words", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const key = nameKey(text);
        expect(nameKey(key)).toBe(key);
        expect(key).toMatch(/^(?:[\p{L}\p{N}\p{M}]+(?: [\p{L}\p{N}\p{M}]+)*)?$/u);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abcXYZ &.'éÉ".split("")) }), (text) => {
        expect(nameKey(text.toUpperCase())).toBe(nameKey(text));
      }),
    );
  });
});
