/**
 * A stranger's text for a terminal: signs that steer one, or turn the direction of what follows, are shown as their numbers. Line ends and tabs stay.
 */
export function harmlessText(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
}
