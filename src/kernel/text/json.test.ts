import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { canonicalJson, parseUntrustedJson } from "./json.ts";

describe("canonical json", () => {
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
});

describe("untrusted json", () => {
  const SCHEMAS = [
    z.string().min(1),
    z.string().trim().max(5),
    z.array(z.string().min(1)).max(3),
    z.strictObject({ name: z.string().min(1) }),
  ];

  test.each([
    '{"length":{"toString":null}}',
    '{"length":{"\\u0074oString":1,"valueOf":2}}',
    '[{"length":{"toString":"x"}}]',
    '{"name":{"length":{"toString":{}}}}',
  ])("%s is refused, and throws nothing", (text) => {
    for (const schema of SCHEMAS) expect(schema.safeParse(parseUntrustedJson(text)).success).toBe(false);
  });

  test("a member of that name is not passed over", () => {
    const { error } = z.strictObject({}).safeParse(parseUntrustedJson('{"toString":1}'));
    expect(error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["toString"] }]);
  });

  test("everything else is what JSON.parse makes of it", () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, escaped) => {
        fc.pre(!text.includes("toString"));
        const written = escaped ? `{"\\u0061":${text}}` : text;
        expect(parseUntrustedJson(written)).toEqual(JSON.parse(written));
      }),
    );
    expect(() => parseUntrustedJson('{"toString":')).toThrow(SyntaxError);
  });
});
