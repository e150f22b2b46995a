import type { EventType } from "../contract/enums.ts";

/** All public URLs used in payloads. `baseUrl` has no trailing slash. */

export function recordUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/record/${encodeURIComponent(publicId)}/`;
}

/** The part of the record's page that an event is about. */
export function eventUrl(recordUrl: string, type: EventType): string {
  return recordUrl + PARTS[type];
}

const PARTS: Readonly<Record<EventType, string>> = {
  new_public_record: "",
  new_observed_asset: "#assets",
  new_wrapped_fleet_asset: "#assets",
  stale_asset: "#assets",
  digital_gap_detected: "#online",
};

/** Table of a record's observations; the server makes it. */
export function observationTableUrl(baseUrl: string, publicId: string): string {
  return `${recordUrl(baseUrl, publicId)}observations.csv`;
}

export function termsUrl(baseUrl: string): string {
  return `${baseUrl}/terms/`;
}

export function citationUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/cite/${encodeURIComponent(id)}/`;
}

export function evidenceUrl(baseUrl: string, publicId: string): string {
  return `${baseUrl}/api/v1/entity/${encodeURIComponent(publicId)}/evidence`;
}

export function cityUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/city/${encodeURIComponent(slug)}/`;
}

export function cityCellsUrl(baseUrl: string, slug: string): string {
  return `${cityUrl(baseUrl, slug)}cells/`;
}

export function cityChangesUrl(baseUrl: string, slug: string): string {
  return `${cityUrl(baseUrl, slug)}changes/`;
}

export function cityIndustryUrl(baseUrl: string, slug: string, code: string): string {
  return `${cityUrl(baseUrl, slug)}industry/${code}/`;
}

export function agentsUrl(baseUrl: string): string {
  return `${baseUrl}/agents/`;
}

export function robotsUrl(baseUrl: string): string {
  return `${baseUrl}/robots.txt`;
}

export function machineActivityUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/machine-activity`;
}

export function mcpUrl(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

export function methodologyUrl(baseUrl: string): string {
  return `${baseUrl}/methodology/`;
}

export function methodologyMetricsUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/methodology/metrics`;
}

/** Signed note of the tree of a size. */
export function checkpointUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/checkpoints/${treeSize}`;
}

/** Withdrawn rows, for those who hold copies. */
export function withdrawalsUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/withdrawals`;
}

export function keysUrl(baseUrl: string): string {
  return `${baseUrl}/ledger/keys.json`;
}

/** Inclusion proof of a ledger row (`.tlog-proof`), computed by the server from the tiles; a static copy has none. */
export function proofUrl(baseUrl: string, row: number): string {
  return `${baseUrl}/ledger/proof/${row}`;
}

export function coverageUrl(baseUrl: string): string {
  return `${baseUrl}/coverage/`;
}

/** Page that verifies a record's rows in the browser. */
export function verifyUrl(baseUrl: string): string {
  return `${baseUrl}/verify/`;
}

/** External timestamp over the signed note. */
export function timestampUrl(baseUrl: string, treeSize: number): string {
  return `${baseUrl}/ledger/timestamps/${treeSize}.tsr`;
}

/** The three formats of one feed. */
export type FeedUrls = Readonly<Record<"rss" | "atom" | "json_feed", string>>;

export function pulseUrls(baseUrl: string, slug: string): FeedUrls & { readonly json: string } {
  const city = encodeURIComponent(slug);
  return { json: `${baseUrl}/api/v1/pulse/${city}`, ...feedUrls(`${baseUrl}/pulse/${city}`) };
}

/** Feeds of all cities combined. */
export function serviceFeedUrls(baseUrl: string): FeedUrls {
  return feedUrls(`${baseUrl}/pulse`);
}

/** Feeds of incidents. */
export function statusFeedUrls(baseUrl: string): FeedUrls {
  return feedUrls(`${baseUrl}/status`);
}

function feedUrls(folder: string): FeedUrls {
  return { rss: `${folder}/rss.xml`, atom: `${folder}/atom.xml`, json_feed: `${folder}/feed.json` };
}

/** Page of an emailed link. A token is base64url and dots, so it needs no escaping. */
export function confirmUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/confirm/?token=${token}`;
}

export function manageUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/manage/?token=${token}`;
}

/** Also the one-click target of mail programs (RFC 8058). */
export function unsubscribeUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/unsubscribe/?token=${token}`;
}

/** Stops all email to the mailbox that the link was sent to. */
export function neverUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/alerts/never/?token=${token}`;
}

export function reportUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/report/status/?report=${id}`;
}

/** Page of a request for removal, with its instructions. */
export function removalUrl(baseUrl: string, removalId: string, publicId: string): string {
  return `${baseUrl}/opt-out/?${new URLSearchParams({ record: publicId, request: removalId })}`;
}

/** What owners can do: claim a record, correct it, have it removed. */
export function ownersUrl(baseUrl: string): string {
  return `${baseUrl}/owners/`;
}
