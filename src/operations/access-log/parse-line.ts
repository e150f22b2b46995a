import { isIP } from "node:net";
import { z } from "zod";

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
