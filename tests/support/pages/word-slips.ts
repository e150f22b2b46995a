/** For tests: slips of wording that pages of any kind may have, found in their HTML. */

const UNSEEN = /<(script|style|head|svg|template)\b[\s\S]*?<\/\1>/g;
/** What is data and not words: code, addresses, ids that a table's column holds, and names of others. */
const DATA = /<(code|pre|a|bdi|option|input|textarea|blockquote)\b[^>]*>[\s\S]*?<\/\1>/g;
const TAG = /<[^>]*>/g;
/** One line for each element that begins a line on the screen. */
const BLOCK =
  /<\/?(p|li|ul|ol|td|th|tr|table|caption|dt|dd|dl|div|h[1-6]|section|summary|details|figcaption|form|nav)\b[^>]*>/g;
const LONE_DASH = /<td\b[^>]*>\s*[–—-]\s*<\/td>|<dd\b[^>]*>\s*[–—-]\s*(<|$)/;

const SLIPS: readonly (readonly [kind: string, words: RegExp])[] = [
  [
    "one thing as many",
    /(?<![\d.,:/-]|N - )\b1 (days|months|years|rows|records|observations|observers|cells|areas|sightings)\b/,
  ],
  ["date as data", /\b\d{4}-\d{2}-\d{2}\b/],
  ["code in words", /\b[a-z]+_[a-z_]+\b/],
];

/** Each slip of a page with the text that has it. */
export function wordSlips(html: string): readonly string[] {
  const seen = html.replace(UNSEEN, "");
  const lines = seen.replace(DATA, " ").replace(BLOCK, "\n").replace(TAG, "").split("\n");
  const found = SLIPS.flatMap(([kind, words]) =>
    lines.filter((line) => words.test(line)).map((line) => `${kind}: ${line.trim()}`),
  );
  return LONE_DASH.test(seen) ? ["dash for a missing value", ...found] : found;
}
