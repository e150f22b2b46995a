import { LineFault } from "./fault.ts";

/** Web addresses and telephone numbers, in one form each, so that two sightings that share one are seen to share it. */

/** Hosts where many businesses live side by side: there the path tells who it is, and the host alone tells nothing. */
const SHARED_HOSTS: ReadonlySet<string> = new Set([
  "amazon.com",
  "beacons.ai",
  "bit.ly",
  "business.site",
  "doordash.com",
  "ebay.com",
  "etsy.com",
  "facebook.com",
  "fb.com",
  "foursquare.com",
  "g.co",
  "g.page",
  "github.io",
  "goo.gl",
  "google.com",
  "grubhub.com",
  "instagram.com",
  "just-eat.com",
  "linkedin.com",
  "linktr.ee",
  "maps.app.goo.gl",
  "opentable.com",
  "pinterest.com",
  "sites.google.com",
  "skipthedishes.com",
  "t.me",
  "tiktok.com",
  "toasttab.com",
  "tripadvisor.com",
  "twitter.com",
  "ubereats.com",
  "vk.com",
  "wa.me",
  "wa.link",
  "x.com",
  "yelp.com",
  "yelp.ca",
  "youtube.com",
]);

export interface Website {
  /** What may be published: scheme, host and path; no query, fragment or credentials. */
  readonly url: string;
  /** What two spellings of the address have in common; undefined when it does not tell businesses apart. */
  readonly matchKey: string | undefined;
}

/** Throws LineFault for what is no web address. A missing scheme is taken as https. */
export function parseWebsite(raw: string): Website {
  const text = raw.trim();
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/]*@/.test(text); // the latter is an e-mail address
  const url = URL.parse(isWhole ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^[^.]+(\.[^.]+)+$/.test(url.hostname))
    throw new LineFault(
      "invalid_website",
      "website",
      "is not a web address such as https://example.org/shop",
    );
  const path = url.pathname.replace(/\/+$/, "");
  const host = url.hostname.replace(/^(www|m)\./, "");
  const matchKey = path === "" && SHARED_HOSTS.has(host) ? undefined : `${host}${path.toLowerCase()}`;
  return { url: `${url.protocol}//${url.host}${path}`, matchKey };
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
