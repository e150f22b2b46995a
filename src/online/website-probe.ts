import type { Finding, OnlineProvider, OnlineSubject } from "./provider.ts";
import { sharedHostType } from "./signals.ts";
import {
  isAllowed,
  ROBOTS_BYTES,
  type RobotsRules,
  robotsRules,
  type WebAnswer,
  type WebReader,
} from "./web-reader.ts";

/** The product token that `robots.txt` may name. */
export const ROBOTS_TOKEN = "PresenceOnlineCheck";

const NO_HOST = "its host does not exist";
const MAX_REDIRECTS = 5;
/** Enough to see that a page exists; the rest is not read. */
const PAGE_BYTES = 64 * 1024;

type RobotsAnswer =
  | { readonly kind: "rules"; readonly rules: RobotsRules }
  | { readonly kind: "no_such_host" | "closed"; readonly reason: string };

/** Asks whether a record's published website answers. `robots.txt` of every host on the way is asked first, and kept for the run. */
export function websiteProbe(reader: WebReader): OnlineProvider {
  const robots = new Map<string, Promise<RobotsAnswer>>();
  const robotsOf: RobotsOf = (url) => {
    const known = robots.get(url.origin) ?? readRobots(reader, new URL("/robots.txt", url));
    robots.set(url.origin, known);
    return known;
  };
  return {
    name: "website",
    signals: ["website"],
    check: ({ website }: OnlineSubject) => probe(reader, robotsOf, website),
  };
}

type RobotsOf = (url: URL) => Promise<RobotsAnswer>;

async function probe(reader: WebReader, robotsOf: RobotsOf, website: string | null): Promise<Finding> {
  let url = URL.parse(website ?? "");
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    if (url === null || !/^https?:$/.test(url.protocol)) return failed("its address must be a web address");
    const visited = await visit(reader, robotsOf, url);
    if (!("leadsTo" in visited)) return visited;
    url = visited.leadsTo;
  }
  return failed("it redirects too often");
}

async function visit(
  reader: WebReader,
  robotsOf: RobotsOf,
  url: URL,
): Promise<Finding | { readonly leadsTo: URL | null }> {
  const robots = await robotsOf(url);
  if (robots.kind !== "rules") return robots.kind === "closed" ? failed(robots.reason) : absent(NO_HOST);
  if (!isAllowed(robots.rules, `${url.pathname}${url.search}`)) return failed("robots.txt asks to stay out");
  const answer = await reader.get(url, PAGE_BYTES);
  const leadsTo = redirectTarget(answer, url);
  return leadsTo === undefined ? pageFinding(answer, url) : { leadsTo };
}

/** Where an answer leads; null for an address that is none, undefined for an answer that leads nowhere. */
function redirectTarget(answer: WebAnswer, from: URL): URL | null | undefined {
  if (answer.kind !== "answered" || answer.location === null) return undefined;
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  return URL.parse(answer.location, from.href);
}

const GONE = new Set([404, 410]);

function pageFinding(answer: WebAnswer, url: URL): Finding {
  if (answer.kind === "no_such_host") return absent(NO_HOST);
  if (answer.kind !== "answered") return failed(`it could not be read: ${answer.reason}`);
  if (GONE.has(answer.status)) return absent("its page is gone");
  if (answer.status < 200 || answer.status > 299) return failed(`it answered ${answer.status}`);
  if (answer.body.trim() === "") return failed("it answered without content");
  return { signal: "website", outcome: "found", types: [sharedHostType(url) ?? "website"], matches: 1 };
}

const absent = (note: string): Finding => ({ signal: "website", outcome: "absent", note });
const failed = (note: string): Finding => ({ signal: "website", outcome: "failed", note });

/** RFC 9309, 2.3.1: no file means no rules; a server that fails to answer, also with 429, must be left alone. */
async function readRobots(reader: WebReader, address: URL): Promise<RobotsAnswer> {
  let url: URL | null = address;
  for (let hop = 0; url !== null && hop <= MAX_REDIRECTS; hop += 1) {
    const answer: WebAnswer = await reader.get(url, ROBOTS_BYTES);
    const next = redirectTarget(answer, url);
    if (next === undefined) return robotsAnswer(answer);
    url = next;
  }
  return { kind: "rules", rules: [] };
}

function robotsAnswer(answer: WebAnswer): RobotsAnswer {
  if (answer.kind === "no_such_host") return { kind: "no_such_host", reason: answer.reason };
  if (answer.kind !== "answered")
    return { kind: "closed", reason: `robots.txt could not be read: ${answer.reason}` };
  const { status, body } = answer;
  if (status === 429 || status >= 500)
    return { kind: "closed", reason: `robots.txt could not be read: it answered ${status}` };
  return { kind: "rules", rules: status < 300 ? robotsRules(body, ROBOTS_TOKEN) : [] };
}
