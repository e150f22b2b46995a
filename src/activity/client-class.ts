import crawlers from "crawler-user-agents";
import { z } from "zod";
import type { ClientClass } from "../contract/enums.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";

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
