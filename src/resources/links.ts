/** Every public address that a payload carries, in one place. `baseUrl` has no slash at its end. */

export function recordUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/record/${encodeURIComponent(publicId)}/`;
}

export function cityUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/city/${encodeURIComponent(slug)}/`;
}

export function methodologyUrl(baseUrl: string): string {
  return `${baseUrl}/methodology/`;
}

/** The signed note of the tree of that size. */
export function checkpointUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/checkpoints/${treeSize}`;
}

/** The external time stamp over that note. */
export function timestampUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/timestamps/${treeSize}.tsr`;
}

export function pulseUrls(baseUrl: string, slug: string): { json: string; rss: string } {
  const city = encodeURIComponent(slug);
  return { json: `${baseUrl}/api/v1/pulse/${city}`, rss: `${baseUrl}/pulse/${city}/rss.xml` };
}
