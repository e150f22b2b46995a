/** All public URLs that payloads carry. `baseUrl` has no trailing slash. */

export function recordUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/record/${encodeURIComponent(publicId)}/`;
}

/** A citation with its original text, and what of it still holds in the newest release. */
export function citationUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/cite/${encodeURIComponent(id)}/`;
}

/** Everything public about a record, as one document. */
export function evidenceUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/api/v1/entity/${encodeURIComponent(publicId)}/evidence`;
}

export function cityUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/city/${encodeURIComponent(slug)}/`;
}

export function cityCellsUrl(baseUrl: string, slug: string): string {
  return `${cityUrl(baseUrl, slug)}cells/`;
}

/** A city's records of an ISIC section or code. */
export function cityIndustryUrl(baseUrl: string, slug: string, code: string): string {
  return `${cityUrl(baseUrl, slug)}industry/${code}/`;
}

/** Instructions for programs that read the service. */
export function agentsUrl(baseUrl: string): string {
  return `${baseUrl}/agents/`;
}

export function robotsUrl(baseUrl: string): string {
  return `${baseUrl}/robots.txt`;
}

/** Counts of requests in the days before the release. */
export function machineActivityUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/machine-activity`;
}

/** The MCP endpoint. */
export function mcpUrl(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

export function methodologyUrl(baseUrl: string): string {
  return `${baseUrl}/methodology/`;
}

/** Measurements of the methodology's results. */
export function methodologyMetricsUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/methodology/metrics`;
}

/** The signed note of the tree of that size. */
export function checkpointUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/checkpoints/${treeSize}`;
}

/** All signing keys with their periods. */
export function keysUrl(baseUrl: string): string {
  return `${baseUrl}/ledger/keys.json`;
}

/** The inclusion proof of a ledger row (`.tlog-proof`); made by Node from the tiles, so a static copy has none. */
export function proofUrl(baseUrl: string, row: number): string {
  return `${baseUrl}/ledger/proof/${row}`;
}

/** The page on which a browser verifies a record's rows. */
export function verifyUrl(baseUrl: string): string {
  return `${baseUrl}/verify/`;
}

/** The external timestamp over that note. */
export function timestampUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/timestamps/${treeSize}.tsr`;
}

export function pulseUrls(baseUrl: string, slug: string): { json: string; rss: string; json_feed: string } {
  const city = encodeURIComponent(slug);
  return {
    json: `${baseUrl}/api/v1/pulse/${city}`,
    rss: `${baseUrl}/pulse/${city}/rss.xml`,
    json_feed: `${baseUrl}/pulse/${city}/feed.json`,
  };
}

/** The feeds of all cities together. */
export function serviceFeedUrls(baseUrl: string): { rss: string; json_feed: string } {
  return { rss: `${baseUrl}/pulse/rss.xml`, json_feed: `${baseUrl}/pulse/feed.json` };
}

/** Pages that links in emails lead to. A token is base64url and dots, so it needs no escaping. */
export function confirmUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/confirm/?token=${token}`;
}

export function manageUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/manage/?token=${token}`;
}

/** Email programs also post to it directly (RFC 8058). */
export function unsubscribeUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/unsubscribe/?token=${token}`;
}

/** The outcome of a report. */
export function reportUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/report/status/?report=${id}`;
}

/** Instructions for the opt-out of a record. */
export function optOutUrl(baseUrl: string): string {
  return `${baseUrl}/about/#report`;
}
