/** Every public address that a payload carries, in one place. `baseUrl` has no slash at its end. */

export function recordUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/record/${encodeURIComponent(publicId)}/`;
}

/** A citation with the words of its time, and what holds of it in the newest release. */
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

/** How programs are to read the service. */
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

/** What the methodology came to, measured. */
export function methodologyMetricsUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/methodology/metrics`;
}

/** The signed note of the tree of that size. */
export function checkpointUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/checkpoints/${treeSize}`;
}

/** All keys that ever signed, with their spans. */
export function keysUrl(baseUrl: string): string {
  return `${baseUrl}/ledger/keys.json`;
}

/** The inclusion proof of a ledger row (`.tlog-proof`); made by Node from the tiles, so a static copy has none. */
export function proofUrl(baseUrl: string, row: number): string {
  return `${baseUrl}/ledger/proof/${row}`;
}

/** Where a browser checks a record's rows by itself. */
export function verifyUrl(baseUrl: string): string {
  return `${baseUrl}/verify/`;
}

/** The external time stamp over that note. */
export function timestampUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/timestamps/${treeSize}.tsr`;
}

/** The three formats of one feed. */
export type FeedUrls = Readonly<Record<"rss" | "atom" | "json_feed", string>>;

export function pulseUrls(baseUrl: string, slug: string): FeedUrls & { readonly json: string } {
  const city = encodeURIComponent(slug);
  return { json: `${baseUrl}/api/v1/pulse/${city}`, ...feedUrls(`${baseUrl}/pulse/${city}`) };
}

/** The feeds of all cities together. */
export function serviceFeedUrls(baseUrl: string): FeedUrls {
  return feedUrls(`${baseUrl}/pulse`);
}

function feedUrls(folder: string): FeedUrls {
  return { rss: `${folder}/rss.xml`, atom: `${folder}/atom.xml`, json_feed: `${folder}/feed.json` };
}

/** Pages that mailed links lead to. A token is base64url and dots, so it needs no escaping. */
export function confirmUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/confirm/?token=${token}`;
}

export function manageUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/manage/?token=${token}`;
}

/** Also where mail programs post to by themselves (RFC 8058). */
export function unsubscribeUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/unsubscribe/?token=${token}`;
}

/** What became of a report. */
export function reportUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/report/status/?report=${id}`;
}

/** How a record is taken out. */
export function optOutUrl(baseUrl: string): string {
  return `${baseUrl}/about/#report`;
}
