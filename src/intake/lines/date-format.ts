import { OperatorError } from "../../kernel/errors.ts";

/** A date as the file has it -> ISO 8601; a text in none of the forms comes back as it is. */
export type DateReader = (text: string) => string;

export interface DateOptions {
  /** Offset from UTC of times that have none. */
  readonly offset?: string | undefined;
  /** The column holds dates: the time of day beside them is dropped. */
  readonly dateOnly?: boolean | undefined;
}

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{2})",
  D: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour>0[1-9]|1[0-2])",
  h: "(?<hour>0?[1-9]|1[0-2])",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  SSS: "\\d{3}",
  A: "(?<half>[AaPp])[Mm]",
};
/** AM and PM stand for themselves, as does the T of ISO 8601. */
const PART = /AM|PM|YYYY|MM?|DD?|HH?|hh?|mm|ss|SSS|A|T|[A-Za-z]+|[^A-Za-z]/g;
const LITERALS: ReadonlySet<string> = new Set(["AM", "PM", "T"]);
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * `formats` are tried in turn: "iso" is ISO 8601, others are patterns such as "M/D/YYYY" or "MM/DD/YYYY hh:mm:ss A". A pattern with
 * a time needs the offset from UTC, unless the column holds dates. Throws OperatorError.
 */
export function dateReader(formats: readonly string[], options: DateOptions = {}): DateReader {
  const readers = formats.map((format) =>
    format === "iso" ? (text: string) => isoDate(text, options) : patternReader(format, options),
  );
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
  if (at("M") < 0 || at("D") < 0 || at("YYYY") < Math.max(at("M"), at("D"))) return undefined;
  const swapped: Readonly<Record<string, string>> = { M: "D", D: "M", MM: "DD", DD: "MM" };
  return parts.map((part) => swapped[part] ?? part).join("");
}

/** Whether a form reads a text as a day of the calendar. */
export function reads(format: string, text: string): boolean {
  const parts = datePattern(format).exec(text)?.groups;
  if (parts === undefined) return false;
  const [year, month, day] = [Number(parts["year"]), Number(parts["month"]), Number(parts["day"])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return month >= 1 && day >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isoDate(text: string, { offset, dateOnly }: DateOptions): string | undefined {
  const [, date, zone] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (dateOnly === true) return date;
  return date === text || zone !== undefined || offset === undefined ? text : `${text}${offset}`;
}

function patternReader(
  format: string,
  { offset, dateOnly }: DateOptions,
): (text: string) => string | undefined {
  const pattern = datePattern(format);
  const hasTime = dateOnly !== true && partsOf(format).some((part) => /^(HH?|hh?)$/.test(part));
  if (hasTime && offset === undefined)
    throw unusable(format, 'has a time: give "utc_offset", for example "-05:00"');
  return (text) => {
    const parts = pattern.exec(text)?.groups;
    if (parts === undefined) return undefined;
    const two = (name: string) => (parts[name] ?? "0").padStart(2, "0");
    const date = `${parts["year"]}-${two("month")}-${two("day")}`;
    return hasTime ? `${date}T${hourOf(parts)}:${two("minute")}:${two("second")}${offset}` : date;
  };
}

/** 12 AM is midnight, 12 PM noon. */
function hourOf({ hour = "0", half }: Readonly<Record<string, string | undefined>>): string {
  if (half === undefined) return hour.padStart(2, "0");
  return String((Number(hour) % 12) + (half.toUpperCase() === "P" ? 12 : 0)).padStart(2, "0");
}

function partsOf(format: string): string[] {
  return format.match(PART) ?? [];
}

function datePattern(format: string): RegExp {
  const parts = partsOf(format);
  assertUsable(format, parts);
  const sources = parts.map((part) => TOKENS[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${sources.join("")}$`);
}

/** Throws OperatorError for a format that no date has, or that reads one in several ways. */
function assertUsable(format: string, parts: readonly string[]): void {
  const unknown = parts.find((part) => /[A-Za-z]/.test(part) && !(part in TOKENS) && !LITERALS.has(part));
  if (unknown !== undefined)
    throw unusable(
      format,
      `has "${unknown}", which stands for nothing: use ${Object.keys(TOKENS).join(" ")}, or "iso" for ISO 8601`,
    );
  const count = (pattern: RegExp) => parts.filter((part) => pattern.test(part)).length;
  const [year, month, day] = [count(/^YYYY$/), count(/^MM?$/), count(/^DD?$/)];
  if (year !== 1 || month !== 1 || day !== 1)
    throw unusable(format, "must have YYYY, MM or M, and DD or D, each once");
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
