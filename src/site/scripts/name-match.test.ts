import fc from "fast-check";
import { expect, test } from "vitest";
import { isEnough, matchIn } from "./name-match.ts";

test.each([
  ["Café du Monde", "cafe", "Café"],
  ["Café du Monde", "DU M", "du M"],
  ["Cafe\u0301 du Monde", "fe d", "fe\u0301 d"],
  ["Straße 7", "7", "7"],
  ["ﬁne print", "fine", "ﬁne"],
  ["信濃川べり本と珈琲の店", "珈琲", "珈琲"],
  ["𝒜lpha 𝒜", "alp", "𝒜lp"],
  ["أحمد", "حم", "حم"],
])("%s: %s", (name, written, marked) => {
  const [start, end] = matchIn(name, written) ?? [];
  expect(name.slice(start, end)).toBe(marked);
});

test("what does not stand there marks nothing", () => {
  expect([matchIn("Alpha", "beta"), matchIn("Alpha", " "), matchIn("", "a")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a match lies within the name and on its letters, whatever both are", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary", maxLength: 3 }),
      (name, written) => {
        const match = matchIn(name, written);
        if (match === undefined) return;
        const [start, end] = match;
        expect(0 <= start && start < end && end <= name.length).toBe(true);
        expect([...name.slice(0, start), ...name.slice(start, end), ...name.slice(end)]).toEqual([...name]);
      },
    ),
  );
});

test("one letter is too little, one character of a dense script is not", () => {
  expect(["a", " a ", "", "é", "ab", "店", "か", "한"].map(isEnough)).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
});
