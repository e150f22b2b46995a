/** Names on signs: cleaned for publication (`cleanName`), and separated from generic words (`isGenericName`). */
import { z } from "zod";
import genericNames from "../../../data/generic-names.json" with { type: "json" };
import { MAX_NAME_LENGTH } from "../../contract/limits.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { LineFault } from "./fault.ts";

type NameProblem = "empty_name" | "name_too_long";
export type CleanName = { readonly name: string } | { readonly reason: NameProblem };

const PLAIN_ASCII = /^[\x20-\x7e]*$/;
const UNTIDY_SPACE = /^ | $| {2}/;
// Control, bidi, zero-width and other invisible characters, and halves of surrogate pairs (canonical JSON refuses them).
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const SPACE = /[\t-\r\x85\p{Z}]+/gu;
const CLEANABLE_LENGTH = 20 * MAX_NAME_LENGTH; // a longer input is refused unread

/** A name in NFC without invisible characters, runs of white space as one space; at most 120 characters (design 6). */
export function cleanName(raw: string): CleanName {
  if (raw.length > CLEANABLE_LENGTH) return { reason: "name_too_long" };
  const name = PLAIN_ASCII.test(raw) && !UNTIDY_SPACE.test(raw) ? raw : tidy(raw);
  if (name === "") return { reason: "empty_name" };
  if (name.length > MAX_NAME_LENGTH && Array.from(name).length > MAX_NAME_LENGTH)
    return { reason: "name_too_long" };
  return { name };
}

/** The cleaned name. Throws LineFault. */
export function checkedName(raw: string): string {
  const cleaned = cleanName(raw);
  if ("name" in cleaned) return cleaned.name;
  throw new LineFault(
    cleaned.reason,
    "name",
    cleaned.reason === "empty_name"
      ? "has no visible character"
      : `is longer than ${MAX_NAME_LENGTH} characters`,
  );
}

function tidy(raw: string): string {
  // NFC last: taking an invisible character away can bring a letter and its accent together.
  return raw.replace(SPACE, " ").replace(INVISIBLE, "").replace(SPACE, " ").trim().normalize("NFC");
}

const DIGITS = /^\d+$/;
const genericKeys = new Set(
  Object.values(z.record(z.string(), z.array(z.string())).parse(genericNames))
    .flat()
    .map(nameKey),
);

/** Whether a key names no business: a word such as "open" or "restaurant", a bare number, or nothing (design 6). */
export function isGenericName(key: string): boolean {
  return key === "" || DIGITS.test(key) || genericKeys.has(key);
}
