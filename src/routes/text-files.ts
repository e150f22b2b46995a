import { DAY_MS, isoTime } from "../kernel/time.ts";

/**
 * `/robots.txt` (RFC 9309): all files may be crawled, computed responses may not. Links to verify a row open a single
 * static page. `baseUrl` has no trailing slash.
 */
export function robotsTxt(baseUrl: string): string {
  return `# Search engines, assistants and their user agents are welcome: read, quote and cite.
# Start with ${baseUrl}/llms.txt; how to read the data: ${baseUrl}/agents/
User-agent: *
Allow: /
Allow: /verify/?
Disallow: /*?
Disallow: /search/
Disallow: /mcp$

Sitemap: ${baseUrl}/sitemap.xml
`;
}

// RFC 9116 recommends less than a year. A service without a nightly build for this long is unmaintained.
const VALID_MS = 180 * DAY_MS;

interface SecurityFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

/** `/.well-known/security.txt` (RFC 9116); `contact` is a mailto: or https: address. */
export function securityTxt(contact: string, { baseUrl, asOf }: SecurityFacts): string {
  const lines = [`Contact: ${contact}`, `Expires: ${isoTime(asOf + VALID_MS)}`, "Preferred-Languages: en"];
  // The RFC allows only https here.
  if (baseUrl.startsWith("https://")) lines.push(`Canonical: ${baseUrl}/.well-known/security.txt`);
  return `${lines.join("\n")}\n`;
}
