import { nameKey, withoutStoreNumbers } from "../../kernel/text/name-key.ts";
import { cleanName } from "../lines/name.ts";

// Emoji, flags, arrows, boxes and dingbats; not the marks of trade and copyright, and no punctuation.
const PICTOGRAPH =
  /[[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}[\p{So}&&[\u2190-\u2bff]]]--[\p{L}\p{N}\p{P}©®™]][\ufe0e\ufe0f\u200d\u{e0020}-\u{e007f}]*/gv;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
// What a number or a pictograph leaves behind: empty brackets, and separators at an end.
const EMPTY_BRACKETS = /\(\s*\)|\[\s*\]/g;
const DANGLING_START = /^[\s,;:|/–—-]+/;
const DANGLING_END = /[\s,;:|/–—-]+$/;

/**
 * A cleaned name as it is published: without pictographs and store numbers; other punctuation stays. One that would lose letters of
 * its key, or all that it has, is published as it came.
 */
export function displayName(name: string): string {
  const bare = withoutStoreNumbers(name.replace(PICTOGRAPH, pictograph));
  if (bare === name) return name;
  const tidy = bare.replace(EMPTY_BRACKETS, " ").replace(DANGLING_START, "").replace(DANGLING_END, "");
  const shown = cleanName(tidy);
  return "name" in shown && nameKey(shown.name) === nameKey(name) ? shown.name : name;
}

/** Letters in boxes, such as 🈚, are letters of the name. */
function pictograph(text: string): string {
  return LETTER_OR_DIGIT.test(text.normalize("NFKD")) ? text : " ";
}
