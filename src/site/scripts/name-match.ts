/** Finds a typed text in a name, ignoring case and accents like the search. */

/** Returns start and end in `name`; undefined when the search matched in another way. */
export function matchIn(name: string, written: string): readonly [start: number, end: number] | undefined {
  let all = "";
  const origins: { readonly start: number; readonly end: number }[] = []; // position of each unit of the folded name
  let start = 0;
  for (const letter of name) {
    const end = start + letter.length;
    for (const unit of folded(letter).split("")) {
      all += unit;
      origins.push({ start, end });
    }
    start = end;
  }
  const needle = folded(written.trim());
  const at = needle === "" ? -1 : all.indexOf(needle);
  const [first, last] = [origins[at], origins[at + needle.length - 1]];
  return first === undefined || last === undefined ? undefined : [first.start, last.end];
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const MIN_LETTERS = 2;
// CJK characters carry more meaning each, so shorter texts are allowed.
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Returns whether a text is long enough to search for names. */
export function isEnough(written: string): boolean {
  const text = written.trim();
  return [...text].length >= MIN_LETTERS || DENSE_SCRIPT.test(text);
}
