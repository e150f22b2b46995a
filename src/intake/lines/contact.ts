/** Web addresses, telephone numbers and postal addresses, in one form each, so that two sightings that share one are seen to share it. */
import { readWebsite, type Website } from "../../kernel/text/website.ts";
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

/** What two sightings may share: the `matchKey` of a website, and the `phoneKey` of a telephone. */
export function contactKeys(site: string | undefined, phone: string | undefined, hash: KeyedHash): string[] {
  const texts: string[] = [];
  if (site !== undefined) texts.push(`website ${site}`);
  if (phone !== undefined) texts.push(`phone ${phone}`);
  return texts.map((text) => hash(text).slice(0, CONTACT_DIGITS));
}
