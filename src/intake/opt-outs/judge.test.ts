import fc from "fast-check";
import { expect, test } from "vitest";
import { nameKey } from "../../kernel/text/name-key.ts";
import { areNear, nameWords } from "./judge.ts";

const near = (one: string, other: string) =>
  areNear(
    nameWords(nameKey(one), (text) => text),
    nameWords(nameKey(other), (text) => text),
  );

test.each([
  ["Same Name Plumbing", "Same Name Plumbing & Heating"], // words added
  ["Same Name Plumbing & Heating", "Same Name"],
  ["Same Name Plumbing", "Plumbing Same Name Inc."], // in another order
  ["Same Name Plumbing", "Sane Nmae Plumming"], // a letter replaced, moved, doubled in each word
  ["Joe's Diner", "Joes Dinner House"],
  ["Quokka Lantern Works", "Quoka Lanterns"],
  ["Burger Hut", "BurgerHut"], // cut in another way
  ["Café Lumière", "Cafe Lumiere Bistro"],
  ["北京烤鸭店铺", "北京烤鸭店"],
])("%s and %s are near, either way round", (one, other) => {
  expect([near(one, other), near(other, one)]).toEqual([true, true]);
});

test.each([
  ["Same Name Plumbing", "Same Name Bakery"],
  ["Bob's Autos", "Rob's Garage"],
  ["Quokka Lantern Works", "Quokka Lamps"],
  ["Corner Bakery", "Corner Barbers"],
  ["A & B", "C & D"],
  ["Rossi", "Bianchi"],
])("%s and %s are not near", (one, other) => {
  expect([near(one, other), near(other, one)]).toEqual([false, false]);
});

test("a name is near itself, and with words added, and with one letter left out of a long word", () => {
  const word = fc.stringMatching(/^[a-z]{4,9}$/);
  const names = fc.array(word, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(names, word, fc.nat(), (words, added, at) => {
      const name = words.join(" ");
      const position = at % (words[0]?.length ?? 1);
      const misspelled = [words[0]?.slice(0, position), words[0]?.slice(position + 1)].join("");
      const hash = (text: string) => `hash of ${text}`;
      const isNear = (other: string) => areNear(nameWords(name, hash), nameWords(other, hash));
      return isNear(name) && isNear(`${name} ${added}`) && isNear([misspelled, ...words.slice(1)].join(" "));
    }),
  );
});
