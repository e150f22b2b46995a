import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("the sorting example of RFC 8785, 3.2.3", () => {
  const value = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew",
    "1": "One",
    "\ud83d\ude00": "Smiley",
  };
  expect(canonicalJson(value)).toBe(
    '{"\\r":"Carriage Return","1":"One","\u20ac":"Euro Sign","\ud83d\ude00":"Smiley","\ufb33":"Hebrew"}',
  );
});

test("numbers as ECMAScript writes them", () => {
  expect(canonicalJson([JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
    "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]",
  );
});

test("the same bytes as npm canonicalize", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(canonicalJson(plain)).toBe(canonicalize(plain));
    }),
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { "\udc00": 1 }, [["a\ud800"]]])(
  "refuses %j",
  (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  },
);
