import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyedHash } from "./keyed-hash.ts";

test("RFC 4231 test case 2", () => {
  const digest = keyedHash(Buffer.from("Jefe"))("what do ya want for nothing?");
  expect(digest).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
});

test("equals the platform's HMAC for any key and text, and earlier texts leave nothing behind", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 3000 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(bytes, texts, (key, list) => {
      const hash = keyedHash(key);
      for (const text of list) expect(hash(text)).toBe(createHmac("sha256", key).update(text).digest("hex"));
    }),
  );
});
