import { readWebsite, type Website } from "../../kernel/text/website.ts";
import { LineFault } from "./fault.ts";

/** Web addresses and telephone numbers, in one form each, so that two sightings that share one are seen to share it. */

/** Throws LineFault for what is no web address. A missing scheme is taken as https. */
export function parseWebsite(raw: string): Website {
  const website = readWebsite(raw);
  if (website !== undefined) return website;
  throw new LineFault("invalid_website", "website", "is not a web address such as https://example.org/shop");
}

const FEWEST_DIGITS = 5;
const MOST_DIGITS = 20;
/** Numbers are compared by their last digits, so that one written with its country code equals one without. */
const COMPARED_DIGITS = 10;

/** The digits that tell one telephone from another. Throws LineFault for what is no telephone number. */
export function phoneKey(raw: string): string {
  const digits = raw.replace(/(?:ext\.?|x)\s*\d+\s*$/i, "").replace(/\D/g, "");
  if (digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS)
    throw new LineFault(
      "invalid_phone",
      "phone",
      `has ${digits.length} digits, which is no telephone number`,
    );
  return digits.replace(/^0+/, "").slice(-COMPARED_DIGITS);
}
