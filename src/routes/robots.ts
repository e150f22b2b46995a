/**
 * `/robots.txt` (RFC 9309). Pages and documents may be read by all; what every request computes anew may not be crawled. Links to
 * verify a row lead to one page, which computes nothing.
 * `baseUrl` has no slash at its end.
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
