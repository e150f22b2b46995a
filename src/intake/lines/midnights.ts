/**
 * Dates that were exported as times. A column of dates comes as local midnight, which is the evening before by the sun wherever civil
 * time is ahead of it, and what is published is the day by the sun. Nobody can tell such a date from a time, except by the column:
 * one whose times are all midnight holds dates.
 */
import { OperatorError } from "../../kernel/errors.ts";
import type { ColumnMap } from "./column-map.ts";
import type { ParsedLine } from "./parse-lines.ts";

const MIDNIGHT = /^\d{4}-\d{2}-\d{2}T00:00(:00(\.0+)?)?(Z|[+-]\d{2}:\d{2})?$/;
/** Midnight at a place, as programs write it in UTC. */
const IN_UTC = /T(\d{2}):(00|30|45)(?::00(?:\.0+)?)?(?:Z|\+00:00)$/;
/** From how many lines on such times are no chance. */
const MIN_IN_UTC = 5;
const DATE_LENGTH = "2026-11-02".length;
/** Lines that are read before a column is judged, as far as it has them. */
const MIN_JUDGED = 1000;

/** Watches `observed_at` of the lines of one file. */
export class Midnights {
  readonly #map: ColumnMap | undefined;
  #count = 0;
  #inUtc = 0; // of them, midnights of the place that are not 00:00 as they are written
  #firstTime: string | undefined;
  #hasDays = false; // midnights of several days: that of one may be an hour to which a fleet rounds
  #firstLine = 0;
  #hasOther = false; // a time that is not midnight

  constructor(map: ColumnMap | undefined) {
    this.#map = map;
    this.#hasOther = map?.date_only !== undefined; // the map has decided
  }

  /** The line; of CSV with the date alone where its time is midnight at the place, among other times, too. */
  add(line: ParsedLine): ParsedLine {
    if (this.#hasOther && !this.#isLocal) return line;
    const time = timeOf(line);
    if (time === undefined) return line;
    const isWritten = MIDNIGHT.test(time);
    if (!isWritten && !isMidnightInUtc(time, line)) {
      this.#hasOther = true;
      return line;
    }
    this.#count += 1;
    if (!isWritten) this.#inUtc += 1;
    this.#firstTime ??= time;
    this.#hasDays ||= time !== this.#firstTime;
    this.#firstLine ||= line.number;
    return this.#isLocal && this.#isOfThePlace(time) ? withDate(line, time) : line;
  }

  /** Whether more lines could tell that the column holds times. */
  isOpen(lines: number): boolean {
    return this.#count > 0 && !this.#hasOther && lines < MIN_JUDGED;
  }

  /** Throws OperatorError where all times so far are midnight. A single line of NDJSON may be what it says. */
  assertTimes(): void {
    const least = this.#inUtc > 0 ? MIN_IN_UTC : this.#map === undefined ? 2 : 1;
    if (this.#hasOther || this.#count < least || (this.#inUtc > 0 && !this.#hasDays)) return;
    const clock = this.#inUtc > 0 ? "midnight at the place, in UTC," : "00:00";
    const count = this.#count.toLocaleString("en-US");
    const what = `observed_at is ${clock} in all ${count} lines that have a time (the first is line ${this.#firstLine}), so the column seems to hold dates`;
    throw new OperatorError(
      this.#map === undefined || this.#inUtc > 0
        ? `${what}: write each as the date that it is there, without a time, such as "observed_at":"2026-11-02"`
        : `${what}: add "date_only": true to the column map, and each stays the date that it is; or "date_only": false if these are times at midnight`,
    );
  }

  /** Whether midnights among other times become dates: those of CSV, unless its map has decided. */
  get #isLocal(): boolean {
    return this.#map !== undefined && this.#map.date_only === undefined;
  }

  /** A program that writes times in UTC means an instant. */
  #isOfThePlace(time: string): boolean {
    return !time.endsWith("Z") && (!time.endsWith("+00:00") || this.#map?.utc_offset === "+00:00");
  }
}

function timeOf(line: ParsedLine): string | undefined {
  const value = "value" in line ? line.value : undefined;
  if (typeof value !== "object" || value === null || !("observed_at" in value)) return undefined;
  const { observed_at: time } = value;
  return typeof time === "string" && time[DATE_LENGTH] === "T" ? time : undefined;
}

/** By the sun, civil midnight is between 21:00 and 1:00. */
function isMidnightInUtc(time: string, line: ParsedLine): boolean {
  const [, hours, minutes] = IN_UTC.exec(time) ?? [];
  const lng = "value" in line ? Number(Object(line.value).lng) : Number.NaN;
  const bySun = (Number(hours) + Number(minutes) / 60 + lng / 15 + 24) % 24;
  return bySun >= 21 || bySun <= 1;
}

function withDate(line: ParsedLine, time: string): ParsedLine {
  if (!("value" in line)) return line;
  return { number: line.number, value: { ...Object(line.value), observed_at: time.slice(0, DATE_LENGTH) } };
}
