/** Addresses of websites in one form each, so that two spellings of one are recognised as the same. */

/** Hosts that many businesses share: the path identifies the business, the host alone does not. */
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
  /** Host without a leading `www.` or `m.`, in ASCII and lower case. */
  readonly host: string;
  /** What two spellings of the address have in common; undefined when it does not tell businesses apart. */
  readonly matchKey: string | undefined;
  /** What a look-up compares: the host, or host and path on a host that many businesses share. */
  readonly lookUpKey: string;
}

/** The parts of a website's address, or undefined for text that is none. A missing scheme is taken as https. */
export function readWebsite(raw: string): Website | undefined {
  const text = raw.trim();
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/]*@/.test(text); // the latter is an email address
  const url = URL.parse(isWhole ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^[^.]+(\.[^.]+)+$/.test(url.hostname))
    return undefined;
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  const host = url.hostname.replace(/^(www|m)\./, "");
  const isShared = SHARED_HOSTS.has(host);
  const whole = `${host}${path.toLowerCase()}`;
  return {
    url: `${url.protocol}//${url.host}${path}`,
    host,
    matchKey: path === "" && isShared ? undefined : whole,
    lookUpKey: isShared ? whole : host,
  };
}
