import fc from "fast-check";
import { expect, test } from "vitest";
import { harmlessText } from "./harmless-text.ts";

test("what steers a terminal is shown by its number, and all else as it is", () => {
  expect(harmlessText("a\u001b[2Jb\u202egnp.exe\u2066\r\n\tok é 信 😀")).toBe(
    "a\\u{1b}[2Jb\\u{202e}gnp.exe\\u{2066}\\u{d}\n\tok é 信 😀",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(harmlessText(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
    }),
  );
});
