/** Web addresses, telephone numbers and postal addresses, in one form each, so that two sightings that share one are seen to share it. */
import { readWebsite, type Website } from "../../kernel/text/contacts.ts";
import type { KeyedHash } from "../matching/keyed-hash.ts";
import { LineFault } from "./fault.ts";

/** Throws LineFault for anything but a web address. A missing scheme means https. */
export function parseWebsite(raw: string): Website {
  const website = readWebsite(raw);
  if (website !== undefined) return website;
  throw new LineFault("invalid_website", "website", "is not a web address such as https://example.org/shop");
}

const MIN_DIGITS = 5;
const MAX_DIGITS = 20;
/** Numbers are compared by their last digits, so that one written with its country code equals one without. */
const COMPARED_DIGITS = 10;

/** The digits that identify a telephone. Throws LineFault for anything but a telephone number. */
export function phoneKey(raw: string): string {
  const digits = raw.replace(/(?:ext\.?|x)\s*\d+\s*$/i, "").replace(/\D/g, "");
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS)
    throw new LineFault(
      "invalid_phone",
      "phone",
      `has ${digits.length} digits; a telephone number has ${MIN_DIGITS} to ${MAX_DIGITS}`,
    );
  return digits.replace(/^0+/, "").slice(-COMPARED_DIGITS);
}

const MARKS = /\p{M}+/gu;
const WORDS = /[\p{L}\p{N}]+/gu;

/** The words and numbers of a postal address, without case, accents and punctuation. */
export function addressKey(raw: string): string {
  const folded = raw.normalize("NFKD").replace(MARKS, "").toLowerCase();
  return (folded.match(WORDS) ?? []).join(" ");
}

const CONTACT_DIGITS = 32;
const COMPARED = {
  website: (raw: string) => parseWebsite(raw).matchKey,
  phone: phoneKey,
} as const;

/** What two sightings may share, as a keyed hash; undefined for none, and for an address that many businesses share. Throws LineFault. */
export function contactKey(
  kind: keyof typeof COMPARED,
  raw: string | null | undefined,
  hash: KeyedHash,
): string | undefined {
  const given = nonBlank(raw);
  const key = given === undefined ? undefined : COMPARED[kind](given);
  return key === undefined ? undefined : hash(`${kind} ${key}`).slice(0, CONTACT_DIGITS);
}

/** Both of a line, the website first. Throws LineFault. */
export function contactKeys(
  {
    website,
    phone,
  }: { readonly website?: string | null | undefined; readonly phone?: string | null | undefined },
  hash: KeyedHash,
): string[] {
  return [contactKey("website", website, hash), contactKey("phone", phone, hash)].filter(
    (key) => key !== undefined,
  );
}

/** An optional text, unless it is null or blank. */
export function nonBlank(text: string | null | undefined): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}
