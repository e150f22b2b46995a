/** Estimates the width of a text without a font, in em; errs on the large side. */

const NARROW = 0.53;
const WIDE = 1;

// Hangul, kana, Chinese characters, full-width forms, emoji.
const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{3fffd}]/u;

export function textWidth(text: string, size: number): number {
  return [...text].reduce((width, character) => width + characterWidth(character), 0) * size;
}

function characterWidth(character: string): number {
  if (/\p{Mn}/u.test(character)) return 0;
  return WIDE_CHARACTER.test(character) ? WIDE : NARROW;
}

/** Wraps text into at most `maxLines` lines of a width, preferably between words; `…` marks omissions. */
export function wrapped(text: string, maxLines: number, fits: (line: string) => boolean): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim().replace(/\s+/g, " ");
  while (rest !== "" && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const line = fits(rest) ? rest : firstLine(rest, isLast, fits);
    lines.push(isLast && line !== rest ? `${line.trimEnd()}…` : line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

function firstLine(text: string, isLast: boolean, fits: (line: string) => boolean): string {
  const characters = [...new Intl.Segmenter("en").segment(text.slice(0, 400))].map(({ segment }) => segment);
  const end = isLast ? "…" : "";
  let line = characters[0] ?? "";
  for (const character of characters.slice(1)) {
    if (!fits(line + character + end)) break;
    line += character;
  }
  const space = line.lastIndexOf(" ");
  const isWordCut = text[line.length] !== " " && text[line.length] !== undefined;
  return isWordCut && space > line.length / 2 ? line.slice(0, space) : line;
}
