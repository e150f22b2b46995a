import { OperatorError } from "../../kernel/errors.ts";
import type { ZoneClock } from "./local-time.ts";
import { monthReader } from "./month-names.ts";

/** A date as the file has it -> ISO 8601; a text in none of the forms comes back as it is. */
export type DateReader = (text: string) => string;

export interface DateOptions {
  /** Offset from UTC of times that have none. */
  readonly offset?: string | undefined;
  /** In its place, the clock that they were read off. */
  readonly clock?: ZoneClock | undefined;
  /** The column holds dates: the time of day beside them is dropped. */
  readonly dateOnly?: boolean | undefined;
  /** That of the names of months. */
  readonly language?: string | undefined;
}

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  YY: "(?<year>\\d{2})",
  MMM: "(?<month>\\p{L}+\\.?)",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{2})",
  D: "(?<day>\\d{1,2})",
  ddd: "\\p{L}+[.,]*",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour>0[1-9]|1[0-2])",
  h: "(?<hour>0?[1-9]|1[0-2])",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  SSS: "\\d{3}",
  A: "(?<half>[AaPp])[Mm]",
};
/** AM and PM stand for themselves, as does the T of ISO 8601, and what is in brackets. */
const PART = /\[[^\]]*\]|AM|PM|YYYY|YY|MMM|MM?|ddd|DD?|HH?|hh?|mm|ss|SSS|A|T|[A-Za-z]+|[^A-Za-z]/g;
const LITERALS: ReadonlySet<string> = new Set(["AM", "PM", "T"]);
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

type Reading = (text: string, options: DateOptions) => string | undefined;

/** Forms that are no pattern: ISO 8601; seconds or milliseconds since 1970; days since 1900, as spreadsheets count them. */
const FORMS: Readonly<Record<string, Reading>> = { iso: isoDate, unix: unixTime, excel: spreadsheetTime };

/**
 * `formats` are tried in turn: the names above, and patterns such as "M/D/YYYY" or "MM/DD/YYYY hh:mm:ss A". A pattern with
 * a time needs the offset from UTC or the zone, unless the column holds dates. Throws OperatorError; the reader throws LineFault where
 * the clocks of the zone showed no such time, or two.
 */
export function dateReader(formats: readonly string[], options: DateOptions = {}): DateReader {
  const readers = formats.map((format) => {
    const read = FORMS[format];
    return read === undefined ? patternReader(format, options) : (text: string) => read(text, options);
  });
  return (text) => {
    for (const read of readers) {
      const iso = read(text);
      if (iso !== undefined) return iso;
    }
    return text;
  };
}

/** The same form with day and month exchanged; undefined where the year comes first, or either is missing. */
export function otherReading(format: string): string | undefined {
  const parts = partsOf(format);
  const at = (token: string) => parts.findIndex((part) => part.startsWith(token) && part in TOKENS);
  if (parts.includes("MMM") || at("M") < 0 || at("D") < 0 || at("YY") < Math.max(at("M"), at("D")))
    return undefined;
  const swapped: Readonly<Record<string, string>> = { M: "D", D: "M", MM: "DD", DD: "MM" };
  return parts.map((part) => swapped[part] ?? part).join("");
}

/** Whether a form reads a text as a day of the calendar. */
export function reads(format: string, text: string): boolean {
  return dayTest(format)(text);
}

/** The same for many texts; `until` (ms): a later day is none. */
export function dayTest(
  format: string,
  { until = Number.POSITIVE_INFINITY, language }: { until?: number; language?: string | undefined } = {},
): (text: string) => boolean {
  const read = readerOf(format, language);
  return (text) => {
    const date = read(text)?.date;
    const day = date === undefined ? Number.NaN : Date.parse(date);
    return day <= until && isoDay(day) === date; // 31 November is 1 December to Date.parse
  };
}

function isoDate(text: string, options: DateOptions): string | undefined {
  const [, date, zone] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (options.dateOnly === true) return date;
  return date === text || zone !== undefined ? text : withOffset(text, options);
}

/** A time that has no offset stays as it is where none is known. */
function withOffset(local: string, { offset = "", clock }: DateOptions): string {
  return clock === undefined ? `${local}${offset}` : clock(local);
}

/** Seconds have ten digits from 2001 to 2286, milliseconds thirteen. */
function unixTime(text: string, { dateOnly }: DateOptions): string | undefined {
  if (!/^\d{10}(\d{3}|\.\d{1,6})?$/.test(text)) return undefined;
  const time = new Date(Number(text) * (text.length === 13 && !text.includes(".") ? 1 : 1000)).toISOString();
  return dateOnly === true ? time.slice(0, DATE_LENGTH) : time;
}

const DATE_LENGTH = "2026-11-02".length;
const TIME_LENGTH = "2026-11-02T14:05:00".length;
/** Day 0: from March 1900 on, the day 29 February 1900, which was none, is made up for. */
const SPREADSHEET_DAY_0 = Date.UTC(1899, 11, 30);
const DAY_SECONDS = 86_400;

function spreadsheetTime(text: string, options: DateOptions): string | undefined {
  if (!/^\d{5}([.,]\d+)?$/.test(text)) return undefined;
  const seconds = Math.round(Number(text.replace(",", ".")) * DAY_SECONDS);
  const local = new Date(SPREADSHEET_DAY_0 + seconds * 1000).toISOString().slice(0, TIME_LENGTH);
  return options.dateOnly === true || seconds % DAY_SECONDS === 0
    ? local.slice(0, DATE_LENGTH)
    : withOffset(local, options);
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The date that a form reads, and the other parts; undefined for what does not have it. */
function readerOf(
  format: string,
  language: string | undefined,
): (text: string) => { date: string; parts: Groups } | undefined {
  const pattern = datePattern(format);
  const monthOf = partsOf(format).includes("MMM") ? monthsOf(format, language) : Number;
  return (text) => {
    const parts = pattern.exec(text)?.groups;
    const month = monthOf(parts?.["month"] ?? "");
    if (parts === undefined || month === undefined) return undefined;
    const two = (of: string | number = "0") => String(of).padStart(2, "0");
    const year = (parts["year"] ?? "").padStart(4, "20");
    return { date: `${year}-${two(month)}-${two(parts["day"])}`, parts };
  };
}

function monthsOf(format: string, language: string | undefined): ReturnType<typeof monthReader> {
  if (language !== undefined) return monthReader(language);
  throw unusable(format, 'has months by name: give their "language", such as "fr"');
}

function isoDay(ms: number): string | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, DATE_LENGTH);
}

function patternReader(format: string, options: DateOptions): (text: string) => string | undefined {
  const { offset, clock, dateOnly, language } = options;
  const read = readerOf(format, language);
  const hasTime = dateOnly !== true && partsOf(format).some((part) => /^(HH?|hh?)$/.test(part));
  if (hasTime && offset === undefined && clock === undefined)
    throw unusable(format, 'has a time: give "time_zone", for example "Europe/Brussels", or "utc_offset"');
  return (text) => {
    const found = read(text);
    if (found === undefined || !hasTime) return found?.date;
    const { date, parts } = found;
    const two = (name: string) => (parts[name] ?? "0").padStart(2, "0");
    return withOffset(`${date}T${hourOf(parts)}:${two("minute")}:${two("second")}`, options);
  };
}

/** 12 AM is midnight, 12 PM noon. */
function hourOf({ hour = "0", half }: Groups): string {
  if (half === undefined) return hour.padStart(2, "0");
  return String((Number(hour) % 12) + (half.toUpperCase() === "P" ? 12 : 0)).padStart(2, "0");
}

function partsOf(format: string): string[] {
  return format.match(PART) ?? [];
}

function datePattern(format: string): RegExp {
  const parts = partsOf(format);
  assertUsable(format, parts);
  const text = (part: string) => part.replace(/^\[(.*)\]$/, "$1").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${parts.map((part) => TOKENS[part] ?? text(part)).join("")}$`, "u");
}

/** Throws OperatorError for a format that no date has, or that reads one in several ways. */
function assertUsable(format: string, parts: readonly string[]): void {
  const unknown = parts.find((part) => /^[A-Za-z]/.test(part) && !(part in TOKENS) && !LITERALS.has(part));
  if (unknown !== undefined)
    throw unusable(
      format,
      `has "${unknown}", which stands for nothing: use ${Object.keys(TOKENS).join(" ")}, [words] in brackets, or "iso", "unix" or "excel" by itself`,
    );
  const count = (pattern: RegExp) => parts.filter((part) => pattern.test(part)).length;
  const [year, month, day] = [count(/^YY(YY)?$/), count(/^M{1,3}$/), count(/^DD?$/)];
  if (year !== 1 || month !== 1 || day !== 1)
    throw unusable(format, "must have YYYY or YY, MM, M or MMM, and DD or D, each once");
  const [hour, half] = [count(/^(HH?|hh?)$/), count(/^A$/)];
  const [minute, second, fraction] = [count(/^mm$/), count(/^ss$/), count(/^SSS$/)];
  if (Math.max(hour, half, minute, second, fraction) > 1)
    throw unusable(format, "must have each part of the time once");
  if (minute > hour || second > minute || fraction > second)
    throw unusable(
      format,
      "must have hours beside minutes, minutes beside seconds, seconds beside fractions",
    );
  if (count(/^hh?$/) !== half)
    throw unusable(format, "must have hh or h together with A (AM or PM), HH or H without");
  if (parts.some((part, at) => /^[MDHh]$/.test(part) && /^[YMDHhmsS\d]/.test(parts[at + 1] ?? "")))
    throw unusable(format, "must have a separator after M, D, H and h: how many digits they have is open");
}

function unusable(format: string, problem: string): OperatorError {
  return new OperatorError(`date format "${format}" ${problem}`);
}
