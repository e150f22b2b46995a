import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import crawlers from "crawler-user-agents";
import { z } from "zod";
import type { ClientClass } from "../contract/enums.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";

/** The key of a client's rate limits: its address, IPv6 by its /64. */
export function clientKey(request: IncomingMessage, trustedProxies: number): string {
  return networkOf(clientAddress(request, trustedProxies));
}

/**
 * The address of the connection, or, behind `trustedProxies` proxies of ours, the one that many places from the right of
 * X-Forwarded-For: what stands further left may be forged.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  const header = request.headers["x-forwarded-for"];
  if (trustedProxies === 0 || typeof header !== "string") return direct;
  const claimed = withoutPort(header.split(",").at(-trustedProxies)?.trim() ?? "");
  return isIP(claimed) === 0 ? direct : claimed;
}

/** IPv4 as it is, also when mapped into IPv6; IPv6 as its /64, which one household or host has to itself. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipv6Groups(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The network of a client's key: its IPv4 /24 or IPv6 /48, which one customer of a provider can have to himself. */
export function widerNetworkOf(key: string): string {
  const [v4] = /^\d+\.\d+\.\d+\./.exec(key) ?? [];
  if (v4 !== undefined) return `${v4}0/24`;
  return key.endsWith("::/64") ? `${key.split(":").slice(0, 3).join(":")}::/48` : key;
}

/** Some proxies write `1.2.3.4:567` and `[::1]:567`. */
function withoutPort(address: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}

function ipv6Groups(address: string): number[] {
  const plain = (address.split("%")[0] ?? "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [left = [], right = []] = plain
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

/** The class that a user agent claims. Anyone can send any user agent, so it is no proof. */
export interface DeclaredClient {
  readonly clientClass: Exclude<ClientClass, "authenticated_partner">;
  /** The crawler's name from the published list, never text that came in; null for tools and for whom the list does not know. */
  readonly agent: string | null;
}

/** The package's types leave the tags out. */
const Crawlers = z.array(z.object({ pattern: z.string(), tags: z.array(z.string()).default([]) }));

interface KnownCrawler {
  readonly name: string;
  readonly tags: ReadonlySet<string>;
  readonly matches: (userAgent: string, at: number) => boolean;
}

/** Longer ones are cut: names stand at the beginning, and none that is honest is as long. */
export const MAX_USER_AGENT = 512;
const MAX_REMEMBERED = 2000;
const KEY_LENGTH = 3;
/** Tags of generic tools, which identify the software and not its user. */
const TOOLS: ReadonlySet<string> = new Set(["http-library", "browser-automation"]);
const PLAIN = /^(?:[^\\^$()[\]{}|*+?.]|\\[^A-Za-z0-9])*$/;
const UNKNOWN: DeclaredClient = { clientClass: "anonymous_or_unattributed", agent: null };

/**
 * The class of a client by the list of crawler-user-agents: AI before search where a crawler is both, other programs of the list, and
 * the rest. A name of the list that is only text is looked up by its first three characters at each place, because trying 1,500
 * expressions one by one takes a millisecond.
 */
export function declaredClient(userAgent: string): DeclaredClient {
  const text = userAgent.length > MAX_USER_AGENT ? userAgent.slice(0, MAX_USER_AGENT) : userAgent;
  return remembered.take(text, () => classOf(matching(text)));
}

const remembered = new BoundedCache<string, DeclaredClient>(MAX_REMEMBERED);
const byKey = new Map<string, KnownCrawler[]>();
const expressions: KnownCrawler[] = [];
for (const { pattern, tags } of Crawlers.parse(crawlers)) add(pattern, new Set(tags));

function add(pattern: string, tags: ReadonlySet<string>): void {
  const text = plainText(pattern);
  if (text === undefined || text.length < KEY_LENGTH) {
    const expression = new RegExp(pattern);
    expressions.push({ name: nameOf(pattern), tags, matches: (userAgent) => expression.test(userAgent) });
    return;
  }
  const crawler = {
    name: nameOf(pattern),
    tags,
    matches: (userAgent: string, at: number) => userAgent.startsWith(text, at),
  };
  const key = text.slice(0, KEY_LENGTH);
  byKey.set(key, [...(byKey.get(key) ?? []), crawler]);
}

/** The text that a pattern stands for; undefined when it is more than text. */
function plainText(pattern: string): string | undefined {
  return PLAIN.test(pattern) ? pattern.replaceAll("\\", "") : undefined;
}

/** For people to read: `[cC]laude[bB]ot` is `claudebot`, `bingbot\/` is `bingbot`. */
function nameOf(pattern: string): string {
  return pattern
    .replaceAll("[\\s\\S]*", " ")
    .replace(/\[\^?(.)[^\]]*\]/g, "$1")
    .replace(/\\[dws]\+?|[\\^$]|\(.*$/g, "")
    .replace(/^\W+|\W+$/g, "");
}

function matching(userAgent: string): KnownCrawler[] {
  const crawlers = expressions.filter(({ matches }) => matches(userAgent, 0));
  for (let at = 0; at + KEY_LENGTH <= userAgent.length; at += 1) {
    const candidates = byKey.get(userAgent.slice(at, at + KEY_LENGTH)) ?? [];
    crawlers.push(...candidates.filter(({ matches }) => matches(userAgent, at)));
  }
  return crawlers;
}

function classOf(crawlers: readonly KnownCrawler[]): DeclaredClient {
  const tagged = (tag: string) => longestName(crawlers.filter(({ tags }) => tags.has(tag)));
  const ai = tagged("ai-crawler");
  if (ai !== undefined) return { clientClass: "ai_crawler", agent: ai };
  const search = tagged("search-engine");
  if (search !== undefined) return { clientClass: "search_crawler", agent: search };
  if (crawlers.length === 0) return UNKNOWN;
  const named = crawlers.filter(({ tags }) => ![...tags].every((tag) => TOOLS.has(tag)));
  return { clientClass: "other_client", agent: longestName(named) ?? null };
}

/** Prefers the longest name; ties are broken alphabetically so that the result is deterministic. */
function longestName(crawlers: readonly KnownCrawler[]): string | undefined {
  return crawlers.map(({ name }) => name).sort((a, b) => b.length - a.length || (a < b ? -1 : 1))[0];
}
