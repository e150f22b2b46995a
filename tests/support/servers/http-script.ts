import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

/**
 * HTTP behaviour as plain text. A script is a list of cases; a line of `#` comments before a case says why it is there.
 *
 *     # A record that opted out, or never was.
 *     > GET /api/v1/entity/pr_none        the request line; then its headers, if any
 *     > Accept-Encoding: gzip
 *     >                                   an empty one, then the body, if any
 *     < 404                               the expected status
 *     < Content-Type: /^application.json/ a header must have this value, or match this pattern
 *     < !ETag                             this header must not be there
 *     ~ /"error":/                        the body must match
 *     = {"status":"ok"}                   the body, less its last line end, must be this
 *
 * `$name` stands for a value that an earlier case took with `@ name /pattern (with one group)/` from its head or body, or
 * that the runner provides. Repeating is written `${a*9000}`.
 */
export interface HttpCase {
  readonly title: string;
  readonly requestLine: string;
  readonly headers: readonly string[];
  readonly body: string | undefined;
  readonly expectations: readonly string[];
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string; // decoded
}

export function parseScript(text: string): HttpCase[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => block.split("\n").filter((line) => line.trim() !== ""))
    .filter((lines) => lines.some((line) => line.startsWith(">")))
    .map(parseCase);
}

function parseCase(lines: readonly string[]): HttpCase {
  const of = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1).trim());
  const [requestLine = "", ...rest] = of(">");
  const blank = rest.indexOf("");
  return {
    title: `${requestLine.slice(0, 80)} (${of("#").join(" ") || "plain"})`,
    requestLine,
    headers: blank < 0 ? rest : rest.slice(0, blank),
    body: blank < 0 ? undefined : rest.slice(blank + 1).join("\n"),
    expectations: lines.filter((line) => /^[<~=@]/.test(line)),
  };
}

/** Put the values of `$name` and the repetitions of `${a*3}` into a line. */
export function filled(line: string, values: ReadonlyMap<string, string>): string {
  return line
    .replace(/\$\{(.+?)\*(\d+)\}/g, (_, piece: string, count: string) => piece.repeat(Number(count)))
    .replace(/\$([a-z_]+)/g, (whole, name: string) => values.get(name) ?? whole);
}

/** Send a case as it is written: nothing is normalised, nothing followed. */
export function send(base: string, { requestLine, headers, body }: HttpCase): Promise<HttpAnswer> {
  const [method = "", path = ""] = requestLine.split(" ");
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers: headerObject(headers) }, (incoming) => {
      buffer(incoming).then((bytes) => {
        const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        const decoded = decode(bytes, incoming.headers["content-encoding"]).toString("utf8");
        resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(received), body: decoded });
      }, reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function headerObject(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}

/** What an answer lacks of a case's expectations; values that it takes go into `values`. */
export function faultsOf(
  answer: HttpAnswer,
  expectations: readonly string[],
  values: Map<string, string>,
): string[] {
  const faults: string[] = [];
  for (const line of expectations) {
    const fault = faultOf(answer, line.slice(0, 1), filled(line.slice(1).trim(), values), values);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

function faultOf(
  answer: HttpAnswer,
  mark: string,
  text: string,
  values: Map<string, string>,
): string | undefined {
  if (mark === "<") return headFault(answer, text);
  if (mark === "~")
    return matches(answer.body, text) ? undefined : `the body does not match ${text}: ${shown(answer.body)}`;
  if (mark === "=")
    return answer.body.replace(/\n$/, "") === text ? undefined : `the body is ${shown(answer.body)}`;
  const [, name = "", expression = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
  const head = Object.entries(answer.headers).map(([key, value]) => `${key}: ${value}\n`);
  const found = pattern(expression)?.exec(`${head.join("")}\n${answer.body}`)?.[1];
  if (found === undefined) return `nothing to take for ${name}`;
  values.set(name, found);
  return undefined;
}

function shown(body: string): string {
  return JSON.stringify(body.slice(0, 300));
}

function headFault({ status, headers }: HttpAnswer, text: string): string | undefined {
  if (/^\d{3}$/.test(text)) return String(status) === text ? undefined : `status ${status}, expected ${text}`;
  if (text.startsWith("!")) {
    const value = headers[text.slice(1).toLowerCase()];
    return value === undefined ? undefined : `header ${text.slice(1)} is there: ${value}`;
  }
  const [, name = "", expected = ""] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
  const value = headers[name.toLowerCase()];
  return value !== undefined && matches(value, expected)
    ? undefined
    : `header ${name} is ${value}, expected ${expected}`;
}

/** `/…/` is a pattern, all else the value itself. */
function matches(value: string, expected: string): boolean {
  return pattern(expected)?.test(value) ?? value === expected;
}

function pattern(text: string): RegExp | undefined {
  const source = /^\/(.*)\/$/.exec(text)?.[1];
  return source === undefined ? undefined : new RegExp(source, "s");
}
