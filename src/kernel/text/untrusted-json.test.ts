import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseUntrustedJson } from "./untrusted-json.ts";

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
