import { domainToASCII } from "node:url";

/**
 * The mailbox behind an address. Limits and suppression count mailboxes, because one person can write hundreds of
 * addresses that reach the same one. Email is sent to the address as it was given, its domain in ASCII.
 */

/** Providers that spell one mailbox in several ways, as their documentation says; docs/operations/subscriptions.md lists them. */
const PROVIDERS: readonly {
  readonly domains: readonly [string, ...string[]];
  readonly ignoresDots: boolean;
}[] = [
  { domains: ["gmail.com", "googlemail.com"], ignoresDots: true },
  { domains: ["icloud.com", "me.com", "mac.com"], ignoresDots: false },
  { domains: ["proton.me", "protonmail.com", "pm.me"], ignoresDots: false },
];

const MAX_DOMAIN = 253; // characters
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

/** The one form of an address that is stored, compared and sent to: `a@Bücher.example` becomes `a@xn--bcher-kva.example`. Text with another domain stays as it is. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  const isDomain = at > 0 && domain.length <= MAX_DOMAIN && DOMAIN.test(domain);
  const ascii = isDomain ? domainToASCII(domain) : "";
  return ascii === "" ? address : `${address.slice(0, at)}@${ascii}`;
}

/** `Some.Body+news@GoogleMail.com` becomes `somebody@gmail.com`: lower case, no plus tag, no dots where the provider ignores them. */
export function mailboxOf(address: string): string {
  const [local, domain] = parts(address);
  const provider = PROVIDERS.find(({ domains }) => domains.includes(domain));
  const tag = local.indexOf("+", 1);
  const untagged = tag < 0 ? local : local.slice(0, tag);
  const plain = provider?.ignoresDots ? untagged.replaceAll(".", "") : untagged;
  return `${plain}@${provider?.domains[0] ?? domain}`;
}

/**
 * The domain that an address belongs to, without subdomains, because whoever has the domain can make these at will. An
 * approximation: two labels, or three below a short second one such as `co.uk`.
 */
export function mailDomainOf(address: string): string {
  const labels = parts(mailboxOf(address))[1].split(".");
  const [second = "", top = ""] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join(".");
}

/** What may be an address, tried only where its first part begins: from each of its places, a long text would take hours. A text without spaces may go on after an ASCII domain. */
const ADDRESSES = [
  /(?<![a-z0-9_'+.-])[a-z0-9_'+.-]+@[a-z0-9-]+(\.[a-z0-9-]+)+/gi,
  /(?<![a-z0-9_'+.-])[a-z0-9_'+.-]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+/giu,
];

/** The mailboxes of all addresses in a text, percent-encoded ones too. */
export function mailboxesIn(text: string): Set<string> {
  const plain = text.replace(/%(40|2b)/gi, (_, code) => (code === "40" ? "@" : "+"));
  const found = ADDRESSES.flatMap((pattern) => plain.match(pattern) ?? []);
  return new Set(found.map((address) => mailboxOf(address.replace(/^[.']+/, ""))));
}

function parts(address: string): [local: string, domain: string] {
  const lower = asciiAddress(address).toLowerCase();
  const at = lower.lastIndexOf("@");
  return [lower.slice(0, Math.max(0, at)), lower.slice(at + 1)];
}

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
