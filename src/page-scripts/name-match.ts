/** Where a written text stands in a name: case and accents do not matter, as in the search itself. */

/** Start and end in `name`; undefined where it does not stand, as when the search compared in another way. */
export function matchIn(name: string, written: string): readonly [start: number, end: number] | undefined {
  let all = "";
  const origins: { readonly start: number; readonly end: number }[] = []; // of each unit of the folded name
  let start = 0;
  for (const letter of name) {
    const end = start + letter.length;
    for (const unit of folded(letter).split("")) {
      all += unit;
      origins.push({ start, end });
    }
    start = end;
  }
  const wanted = folded(written.trim());
  const at = wanted === "" ? -1 : all.indexOf(wanted);
  const [first, last] = [origins[at], origins[at + wanted.length - 1]];
  return first === undefined || last === undefined ? undefined : [first.start, last.end];
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const FEWEST_LETTERS = 2;
/** One character of these scripts says as much as a syllable or a word. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Whether a text is long enough to look for names with it. */
export function isEnough(written: string): boolean {
  const text = written.trim();
  return [...text].length >= FEWEST_LETTERS || DENSE_SCRIPT.test(text);
}
