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
