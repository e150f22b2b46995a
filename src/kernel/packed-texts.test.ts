import fc from "fast-check";
import { expect, test } from "vitest";
import { picked, TextStore } from "./packed-texts.ts";

const anyTexts = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 50 });

function storeOf(texts: readonly string[]): TextStore {
  const store = new TextStore();
  for (const text of texts) store.add(text);
  return store;
}

const textsIn = (store: TextStore) =>
  Array.from({ length: store.packed().ends.length }, (_, number) => store.text(number));

test("texts come out as they went in, one by one or many at once", () => {
  fc.assert(
    fc.property(anyTexts, anyTexts, anyTexts, (before, together, after) => {
      const store = storeOf(before);
      expect(store.addAll(storeOf(together).packed())).toBe(before.length);
      for (const [at, text] of after.entries())
        expect(store.add(text)).toBe(before.length + together.length + at);
      expect(textsIn(store)).toEqual([...before, ...together, ...after]);
    }),
  );
});

test("what was packed stays as it was when more is added, and another store reads it", () => {
  fc.assert(
    fc.property(anyTexts, anyTexts, (before, after) => {
      const store = storeOf(before);
      const other = new TextStore(store.packed());
      for (const text of after) store.add(`${text}!`);
      expect(textsIn(other)).toEqual(before);
      other.add("one more");
      expect(textsIn(store)).toEqual([...before, ...after.map((text) => `${text}!`)]);
    }),
  );
});

test("some of them in another order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.array(fc.nat()), (texts, drawn) => {
      const numbers = drawn.map((number) => number % texts.length);
      const own = new TextStore(picked(storeOf(texts).packed(), numbers));
      expect(textsIn(own)).toEqual(numbers.map((number) => texts[number]));
    }),
  );
});

test.each([-1, 2, 0.5])("no text has the number %s", (number) => {
  expect(() => storeOf(["a", "b"]).text(number)).toThrow(RangeError);
});
