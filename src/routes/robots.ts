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
