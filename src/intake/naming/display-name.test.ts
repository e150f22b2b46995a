import fc from "fast-check";
import { expect, test } from "vitest";
import { nameKey } from "../../kernel/text/name-key.ts";
import { cleanName } from "../lines/name.ts";
import { displayName } from "./display-name.ts";

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
