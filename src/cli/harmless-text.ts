/** Untrusted text for a terminal: escapes characters that control it or the direction of text. Line ends and tabs stay. */
export function harmlessText(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
