import { type OnlinePresence, SignalType } from "../contract/enums.ts";
import { ONLINE_RECHECK_DAYS, ONLINE_RETRY_DAYS } from "../contract/limits.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { Finding, OnlineSubject } from "./provider.ts";

export interface OnlineVerdict {
  readonly verdict: OnlinePresence;
  readonly signalTypes: SignalType[]; // each once, in the order of the contract
  readonly matchCount: number;
}

/**
 * `detected` if any way to look found something. `none` only if the name was searched for and every way that was tried ended without
 * a result: a dead website alone proves nothing. Everything else is `unknown`.
 */
export function verdictOf(findings: readonly Finding[]): OnlineVerdict {
  const hits = findings.filter((finding) => finding.outcome === "found");
  if (hits.length > 0) {
    const types = new Set(hits.flatMap((finding) => finding.types));
    return {
      verdict: "detected",
      signalTypes: SignalType.options.filter((type) => types.has(type)),
      matchCount: hits.reduce((sum, { matches }) => sum + matches, 0),
    };
  }
  const wasSearched = findings.some(({ signal }) => signal === "name_search");
  const isComplete = findings.every(({ outcome }) => outcome === "absent");
  return { verdict: wasSearched && isComplete ? "none" : "unknown", signalTypes: [], matchCount: 0 };
}

/** Hosts, and what having a page there is called. A subdomain counts as its host. */
const HOSTS: Readonly<Record<Exclude<SignalType, "website" | "other">, readonly string[]>> = {
  maps_listing: [
    "maps.app.goo.gl",
    "maps.apple.com",
    "maps.google.com",
    "here.com",
    "mapquest.com",
    "openstreetmap.org",
    "waze.com",
  ],
  social_profile: [
    "facebook.com",
    "instagram.com",
    "linkedin.com",
    "linktr.ee",
    "pinterest.com",
    "threads.net",
    "tiktok.com",
    "twitter.com",
    "vk.com",
    "x.com",
    "youtube.com",
  ],
  directory_listing: [
    "bbb.org",
    "doordash.com",
    "foursquare.com",
    "grubhub.com",
    "just-eat.com",
    "opentable.com",
    "skipthedishes.com",
    "tripadvisor.ca",
    "tripadvisor.com",
    "ubereats.com",
    "yellowpages.ca",
    "yellowpages.com",
    "yelp.ca",
    "yelp.com",
  ],
};

const MAPS_PATH = /^(www\.)?(google|bing)\.[a-z.]+\/maps(\/|$)/;

/** What kind of page an address is; undefined for a host of its own, which may be the website of the business. */
export function sharedHostType({ hostname, pathname }: URL): SignalType | undefined {
  if (MAPS_PATH.test(`${hostname}${pathname}`)) return "maps_listing";
  const host = `.${hostname}`;
  if (HOSTS.maps_listing.some((known) => host.endsWith(`.${known}`))) return "maps_listing";
  if (HOSTS.social_profile.some((known) => host.endsWith(`.${known}`))) return "social_profile";
  if (HOSTS.directory_listing.some((known) => host.endsWith(`.${known}`))) return "directory_listing";
  return undefined;
}

/** The subjects whose turn it is at `now` (ms), at most `budget`: those never looked for first, then those looked for longest ago. */
export function planChecks(subjects: Iterable<OnlineSubject>, now: number, budget: number): OnlineSubject[] {
  return Array.from(subjects)
    .filter((subject) => isDue(subject, now))
    .sort((a, b) => lastLook(a) - lastLook(b) || a.record - b.record)
    .slice(0, budget);
}

/** An unknown verdict is checked again sooner than a known one: a failure does not use up the check of 30 days. */
function isDue({ lastCheck }: OnlineSubject, now: number): boolean {
  if (lastCheck === undefined) return true;
  const days = lastCheck.verdict === "unknown" ? ONLINE_RETRY_DAYS : ONLINE_RECHECK_DAYS;
  return now - lastCheck.checkedAt >= days * DAY_MS;
}

function lastLook({ lastCheck }: OnlineSubject): number {
  return lastCheck?.checkedAt ?? -1;
}
