import { needsNode } from "../../activity/request-subject.ts";
import { type Known, requestRecord } from "../../activity/seen-request.ts";
import { RAW_ACTIVITY_DAYS } from "../../contract/limits.ts";
import { type Line, newReadState, type ReadState, readLines } from "../../intake/lines/read-lines.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import type { Usage } from "../../state/usage/usage.ts";
import type { RequestRecord } from "../../state/usage/usage-counters.ts";
import { type LineFault, type LoggedRequest, parseLogLine } from "./parse-line.ts";

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
