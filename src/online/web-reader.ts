import {
  beginningOf,
  type Fetch,
  fetchFailure,
  guardedFetch,
  hostProblem,
  isLoopback,
} from "../kernel/public-fetch.ts";

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

/** `robots.txt` as defined by RFC 9309. Any text is a valid file: unreadable lines are skipped. */

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
