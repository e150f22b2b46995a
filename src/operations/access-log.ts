import { isIP } from "node:net";
import { z } from "zod";
import { needsNode } from "../activity/request-subject.ts";
import { type Known, requestRecord } from "../activity/seen-request.ts";
import { RAW_ACTIVITY_DAYS } from "../contract/limits.ts";
import { type Line, newReadState, type ReadState, readLines } from "../intake/lines/read-lines.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { DAY_MS, HOUR_MS } from "../kernel/time.ts";
import type { Usage } from "../state/usage/usage.ts";
import type { RequestRecord } from "../state/usage/usage-counters.ts";

/** A request in the log of a front server. */
export interface LoggedRequest {
  readonly at: number; // ms, when the answer was sent
  readonly address: string;
  readonly method: string; // empty, like `url`, when the request could not be read
  readonly url: string; // target of the request as it came
  readonly status: number | null; // null: the client left before the answer
  readonly latencyMs: number | null; // unknown in the combined format
  readonly userAgent: string;
  /** Whether the request was passed on to Node, which counted it; null if the log does not say. */
  readonly wentOn: boolean | null;
}

/** Why a line is not counted. Summaries count by these reasons. */
export type LineFault =
  | "invalid_encoding"
  | "line_too_long"
  | "unknown_format"
  | "wrong_fields"
  | "invalid_date"
  | "too_old"
  | "in_the_future";

/** nginx writes this when the client closed the connection first. */
const CLIENT_CLOSED = 499;
const NOTHING = /^-?$/;

/** Parses a line of nginx's log, in the documented JSON form or the combined one. Never throws. */
export function parseLogLine(line: string): LoggedRequest | LineFault {
  return line.startsWith("{") ? jsonLine(line) : combinedLine(line);
}

const Text = z.string();
const Digits = z.string().regex(/^\d{3}$/);

const JsonLine = z.object({
  time: z.string().regex(/^\d{1,12}(\.\d{1,6})?$/),
  address: z.string().refine((text) => isIP(text) !== 0),
  method: Text,
  uri: Text,
  status: Digits,
  seconds: z.string().regex(/^(\d{1,9}(\.\d{1,6})?|-?)$/),
  user_agent: Text,
  upstream: Text,
});

function jsonLine(line: string): LoggedRequest | LineFault {
  const fields = JsonLine.safeParse(jsonOrUndefined(line));
  if (!fields.success) return fields.error.issues[0]?.path.length === 0 ? "unknown_format" : "wrong_fields";
  const { time, address, method, uri, status, seconds, user_agent, upstream } = fields.data;
  return {
    at: Math.round(Number(time) * 1000),
    address,
    ...request(method, uri),
    status: statusOf(status),
    latencyMs: NOTHING.test(seconds) ? null : Math.round(Number(seconds) * 1000),
    userAgent: textOf(user_agent),
    wentOn: !NOTHING.test(upstream),
  };
}

function jsonOrUndefined(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const COMBINED = new RegExp(
  `^(\\S+) \\S+ [^[]*\\[([^\\]]{1,40})\\] ${QUOTED} (\\d{3}) (?:\\d+|-) ${QUOTED} ${QUOTED}\\s*$`,
);

function combinedLine(line: string): LoggedRequest | LineFault {
  const [, address = "", date = "", head = "", status = "", , userAgent = ""] = COMBINED.exec(line) ?? [];
  if (isIP(address) === 0) return "unknown_format";
  const at = combinedDate(date);
  if (at === undefined) return "invalid_date";
  const [, method = "", url = ""] = /^(\S+) (\S+) HTTP\/\d/.exec(head) ?? [];
  return {
    at,
    address,
    ...request(method, url),
    status: statusOf(status),
    latencyMs: null,
    userAgent: textOf(userAgent),
    wentOn: null,
  };
}

const DATE = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `10/Oct/2026:13:55:36 +0200`, in ms; undefined for any other text. */
function combinedDate(text: string): number | undefined {
  const [, day = "", name = "", year, time, hours, minutes] = DATE.exec(text) ?? [];
  const month = MONTHS.indexOf(name) + 1;
  const at = Date.parse(`${year}-${String(month).padStart(2, "0")}-${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? undefined : at;
}

/** A malformed request line gives empty parts: the front server answered it itself. */
function request(method: string, url: string): Pick<LoggedRequest, "method" | "url"> {
  return /^[A-Z]{1,20}$/.test(method) && url.startsWith("/") ? { method, url } : { method: "", url: "" };
}

function statusOf(text: string): number | null {
  const status = Number(text);
  return status === CLIENT_CLOSED || status === 0 ? null : status;
}

function textOf(text: string): string {
  return NOTHING.test(text) ? "" : text;
}

/** The lines of a log by outcome; every line is in one of the counts. */
export interface ImportSummary {
  readonly lines: number;
  readonly counted: number;
  readonly counted_before: number; // in an earlier run, even under another file name
  readonly answered_by_node: number; // the server counted these itself
  readonly rejected: number;
  readonly rejected_by_reason: Readonly<Partial<Record<LineFault, number>>>;
  readonly unfinished: number; // a last line without a line end, which is still being written
  readonly damage: string | undefined; // how a compressed file ended early
  readonly ignoredBytes: number; // garbage behind the end of a compressed file
}

interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly usage: Usage;
  readonly known: Known;
  readonly now: number;
  /** Called after each commit, with the bytes read so far. */
  readonly onCommit?: (bytesRead: number) => void;
}

/** Single requests are not kept for longer, and the reports of so long ago are published already. */
const OLDEST_MS = RAW_ACTIVITY_DAYS * DAY_MS;
/** Lines counted in one transaction. */
const PART_LINES = 2000;

/**
 * Counts requests that a front server answered itself. Each line is named by a hash of it and of all lines before it, and each counted part by its
 * last line. So an earlier run is recognized under any file name, compressed or not, even if it was killed or the file has grown since.
 */
export async function importLog({
  source,
  usage,
  known,
  now,
  onCommit,
}: ImportOptions): Promise<ImportSummary> {
  const reading = newReadState();
  const tally = new Tally();
  let name = "";
  for await (const lines of inParts(wholeLines(source, reading, tally))) {
    const names = lines.map((line) => {
      name = sha256Hex(`${name} ${"text" in line ? line.text : line.fault.reason}`);
      return name;
    });
    const counted = await usage.imported(names);
    const fresh = names.findLastIndex((candidate) => counted.has(candidate)) + 1;
    tally.before += fresh;
    const rest = lines.slice(fresh);
    if (rest.length > 0) await usage.importSegment(name, tally.take(rest, known, now));
    onCommit?.(reading.bytesRead);
  }
  return tally.summary(reading);
}

/** Holds back the last line of a log, which may still be growing. */
async function* wholeLines(
  source: AsyncIterable<Uint8Array>,
  reading: ReadState,
  tally: Tally,
): AsyncGenerator<Line[]> {
  let before: Line[] = [];
  for await (const lines of readLines(source, reading)) {
    yield before;
    before = lines;
  }
  if (reading.damage === undefined) tally.unfinished = before.length;
  else yield before;
}

async function* inParts(chunks: AsyncIterable<Line[]>): AsyncGenerator<Line[]> {
  let part: Line[] = [];
  for await (const lines of chunks) {
    for (const line of lines) {
      part.push(line);
      if (part.length < PART_LINES) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

class Tally {
  before = 0;
  unfinished = 0;
  #counted = 0;
  #byNode = 0;
  readonly #rejected: Partial<Record<LineFault, number>> = {};

  /** The requests to be counted among these lines. */
  take(lines: readonly Line[], known: Known, now: number): RequestRecord[] {
    const records: RequestRecord[] = [];
    for (const line of lines) {
      const parsed = parsedLine(line, now);
      if (typeof parsed === "string") this.#rejected[parsed] = (this.#rejected[parsed] ?? 0) + 1;
      else if (answeredByNode(parsed)) this.#byNode += 1;
      else records.push(recordOf(parsed, known));
    }
    this.#counted += records.length;
    return records;
  }

  summary({ damage, ignoredBytes }: ReadState): ImportSummary {
    const rejected = Object.values(this.#rejected).reduce((sum, count) => sum + count, 0);
    return {
      lines: this.before + this.#counted + this.#byNode + rejected + this.unfinished,
      counted: this.#counted,
      counted_before: this.before,
      answered_by_node: this.#byNode,
      rejected,
      rejected_by_reason: this.#rejected,
      unfinished: this.unfinished,
      damage,
      ignoredBytes,
    };
  }
}

function parsedLine(line: Line, now: number): LoggedRequest | LineFault {
  if ("fault" in line) return line.fault.reason === "line_too_long" ? "line_too_long" : "invalid_encoding";
  const parsed = parseLogLine(line.text);
  if (typeof parsed === "string") return parsed;
  if (parsed.at > now + HOUR_MS) return "in_the_future";
  return parsed.at < now - OLDEST_MS ? "too_old" : parsed;
}

/** Without a mark in the log: requests that no file can answer, and those not found, were passed on to Node. */
function answeredByNode({ wentOn, method, url, status }: LoggedRequest): boolean {
  if (wentOn !== null) return wentOn;
  return url !== "" && (needsNode(method, url) || status === 404);
}

function recordOf(logged: LoggedRequest, known: Known): RequestRecord {
  const unseen = { times: 1, clientId: null, timedOut: false, foundNothing: false, message: null };
  return requestRecord({ ...logged, ...unseen }, known);
}
