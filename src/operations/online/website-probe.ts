import {
  beginningOf,
  type Fetch,
  fetchFailure,
  guardedFetch,
  hostProblem,
  isLoopback,
} from "../../kernel/public-fetch.ts";
import { type Finding, type OnlineProvider, type OnlineSubject, sharedHostType } from "./run-checks.ts";

/** One request at a time to each host, with a pause after each, however many records are worked on side by side. */
export class HostTurns {
  readonly #lasts = new Map<string, Promise<void>>();
  readonly #pause: () => Promise<void>;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  async take<T>(host: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lasts.get(host);
    const { promise: mine, resolve: end } = Promise.withResolvers<void>();
    this.#lasts.set(host, mine);
    await before;
    try {
      return await work();
    } finally {
      void this.#pause().then(() => {
        if (this.#lasts.get(host) === mine) this.#lasts.delete(host);
        end();
      });
    }
  }
}

/** A rule of `robots.txt` (RFC 9309). Any text is a valid file: unreadable lines are skipped. */
interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** The rules that hold for one product token. */
export type RobotsRules = readonly Rule[];

/** No longer file is read (RFC 9309, 2.5, asks for at least 500 KiB). */
export const ROBOTS_BYTES = 512 * 1024;

/** The rules for `agent`, a product token: those of all groups that name it, else those for `*`. */
export function robotsRules(text: string, agent: string): RobotsRules {
  const groups = groupsOf(text);
  const token = agent.toLowerCase();
  const own = groups.filter(({ agents }) => agents.has(token));
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.has("*"));
  return chosen.flatMap(({ rules }) => rules);
}

interface Group {
  readonly agents: Set<string>;
  readonly rules: Rule[];
}

/** A group is what follows one or more lines that name agents; rules before the first such line are ignored. */
function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  for (const { key, value } of records(text)) {
    const last = groups.at(-1);
    if (key === "user-agent") {
      if (last === undefined || last.rules.length > 0) groups.push({ agents: new Set(), rules: [] });
      groups.at(-1)?.agents.add(productToken(value));
    } else if (key === "allow" || key === "disallow") {
      last?.rules.push({ allow: key === "allow" || value === "", pattern: comparable(value) });
    }
  }
  return groups;
}

/** Whether a path with its query may be fetched: the longest rule that matches decides, `allow` when two are as long. */
export function isAllowed(rules: RobotsRules, path: string): boolean {
  const wanted = comparable(path);
  let [longest, allowed] = [-1, true];
  for (const { allow, pattern } of rules) {
    if (pattern.length < longest || (pattern.length === longest && !allow)) continue;
    if (!matches(pattern, wanted)) continue;
    [longest, allowed] = [pattern.length, allow];
  }
  return allowed;
}

function* records(text: string): Generator<{ key: string; value: string }> {
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const [content = ""] = line.split("#", 1);
    const colon = content.indexOf(":");
    if (colon > 0)
      yield { key: content.slice(0, colon).trim().toLowerCase(), value: content.slice(colon + 1).trim() };
  }
}

/** `Example-Bot/2.0 (…)` is named by its token alone. */
function productToken(value: string): string {
  if (value.startsWith("*")) return "*";
  return (/^[a-z_-]+/i.exec(value)?.[0] ?? "").toLowerCase();
}

const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** Two spellings of one path become the same: escapes that need not be are undone, other letters escaped. */
function comparable(path: string): string {
  return path
    .toWellFormed()
    .replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return UNRESERVED.test(letter) ? letter : escaped.toUpperCase();
    })
    .replace(/[^\x20-\x7e]+/g, (letters) => encodeURIComponent(letters));
}

/** `*` stands for anything, `$` at the end for the end. No regular expression: a hostile file could make one run for years. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const [first = "", ...pieces] = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  const last = isWhole ? pieces.pop() : undefined;
  let at = first.length;
  for (const piece of pieces) {
    const start = path.indexOf(piece, at);
    if (start < 0) return false;
    at = start + piece.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}

export interface WebReaderOptions {
  readonly userAgent: string;
  readonly timeoutMs: number; // of a request with its body
  readonly pause: () => Promise<void>; // between two requests to a host
  /** For tests: requests to this machine, on any port. */
  readonly allowLoopback: boolean;
}

export type WebAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly location: string | null;
      readonly body: string; // as far as it was read
    }
  /** `no_such_host`: the name does not exist; `refused`: the address may not be asked; else `unreachable`. */
  | { readonly kind: "no_such_host" | "refused" | "unreachable"; readonly reason: string };

/** Reads pages of strangers: by the guard that webhooks have, one request to a host at a time, with caps, and without following redirects. */
export class WebReader {
  readonly #options: WebReaderOptions;
  readonly #turns: HostTurns;
  readonly #guarded: Fetch;

  constructor(options: WebReaderOptions) {
    this.#options = options;
    this.#turns = new HostTurns(options.pause);
    this.#guarded = guardedFetch((origin) => addressProblem(origin, false));
  }

  /** Never throws: every behavior of a server is an answer. */
  async get(url: URL, maxBytes: number): Promise<WebAnswer> {
    const problem = addressProblem(url, this.#options.allowLoopback);
    if (problem !== undefined) return { kind: "refused", reason: `the address ${problem}` };
    return this.#turns.take(url.host, () => this.#get(url, maxBytes));
  }

  async #get(url: URL, maxBytes: number): Promise<WebAnswer> {
    const send = isLoopback(url) ? fetch : this.#guarded;
    try {
      const response = await send(url.href, {
        redirect: "manual",
        signal: AbortSignal.timeout(this.#options.timeoutMs),
        headers: { "user-agent": this.#options.userAgent, accept: "text/html, text/plain;q=0.9, */*;q=0.1" },
      });
      const body = await beginningOf(response, maxBytes);
      const { status, headers } = response;
      return { kind: "answered", status, location: headers.get("location"), body: body.toString("utf8") };
    } catch (error) {
      const reason = fetchFailure(error);
      return { kind: reason === "ENOTFOUND" ? "no_such_host" : "unreachable", reason };
    }
  }
}

function addressProblem(url: URL, allowLoopback: boolean): string | undefined {
  if (allowLoopback && isLoopback(url)) return undefined;
  if (!/^https?:$/.test(url.protocol)) return "must be an http:// or https:// address";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  return hostProblem(url.hostname) ?? (url.port === "" ? undefined : "must not name a port");
}

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
