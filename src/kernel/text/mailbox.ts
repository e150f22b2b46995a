/**
 * The mailbox behind an address. Limits and suppression count mailboxes, because one person can write hundreds of
 * addresses that reach the same one. Email is always sent to the address as it was given.
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

/** `Some.Body+news@GoogleMail.com` becomes `somebody@gmail.com`: lower case, no plus tag, no dots where the provider ignores them. */
export function mailboxOf(address: string): string {
  const [local, domain] = parts(address);
  const provider = PROVIDERS.find(({ domains }) => domains.includes(domain));
  const untagged = local.replace(/(?<=.)\+.*$/, "");
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

/** The mailboxes of all addresses in a text, percent-encoded ones too. */
export function mailboxesIn(text: string): Set<string> {
  const plain = text.replace(/%(40|2b)/gi, (_, code) => (code === "40" ? "@" : "+"));
  const found = plain.match(/[a-z0-9_'+.-]+@[a-z0-9-]+(\.[a-z0-9-]+)+/gi) ?? [];
  return new Set(found.map((address) => mailboxOf(address.replace(/^[.']+/, ""))));
}

function parts(address: string): [local: string, domain: string] {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf("@");
  return [lower.slice(0, Math.max(0, at)), lower.slice(at + 1)];
}
