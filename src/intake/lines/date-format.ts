import { OperatorError } from "../../kernel/errors.ts";

/** A date as the file has it -> ISO 8601; a text in none of the forms comes back as it is. */
export type DateReader = (text: string) => string;

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{2})",
  D: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
};
const TOKEN = /YYYY|MM?|DD?|HH?|mm|ss/g;

/**
 * `formats` are tried in turn: "iso" takes the text as it is, others are patterns such as "M/D/YYYY" or
 * "YYYY-MM-DD HH:mm:ss". A pattern with a time needs `offset`, the offset from UTC of its times. Throws OperatorError.
 */
export function dateReader(formats: readonly string[], offset: string | undefined): DateReader {
  const patterns = formats.filter((format) => format !== "iso").map((format) => datePattern(format, offset));
  return (text) => {
    for (const pattern of patterns) {
      const parts = pattern.exec(text)?.groups;
      if (parts !== undefined) return isoText(parts, offset);
    }
    return text;
  };
}

/** The same form with day and month exchanged; undefined where the year comes first, or either is missing. */
export function otherReading(format: string): string | undefined {
  const [month, day] = [/MM?/.exec(format), /DD?/.exec(format)];
  if (month === null || day === null || format.indexOf("YYYY") < Math.max(month.index, day.index))
    return undefined;
  const swapped: Readonly<Record<string, string>> = { M: "D", D: "M" };
  return format.replace(/MM?|DD?/g, (token) => token.replace(/./g, (letter) => swapped[letter] ?? letter));
}

/** Whether a form reads a text as a day of the calendar. */
export function reads(format: string, text: string): boolean {
  const parts = datePattern(format, "Z").exec(text)?.groups;
  if (parts === undefined) return false;
  const [year, month, day] = [Number(parts["year"]), Number(parts["month"]), Number(parts["day"])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return month >= 1 && day >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function datePattern(format: string, offset: string | undefined): RegExp {
  const tokens: readonly string[] = format.match(TOKEN) ?? [];
  const has = (letter: string) => tokens.filter((token) => token.startsWith(letter)).length;
  if (has("Y") !== 1 || has("M") !== 1 || has("D") !== 1 || has("H") > 1 || has("m") > 1 || has("s") > 1)
    throw new OperatorError(
      `column map: date format "${format}" must have YYYY, MM or M, and DD or D, each once`,
    );
  if (has("H") === 1 && offset === undefined)
    throw new OperatorError(
      `column map: date format "${format}" has a time: give "utc_offset", for example "-05:00"`,
    );
  const escaped = format.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(TOKEN, (token) => TOKENS[token] ?? token)}$`);
}

function isoText(parts: Readonly<Record<string, string | undefined>>, offset: string | undefined): string {
  const two = (name: string) => (parts[name] ?? "0").padStart(2, "0");
  const date = `${parts["year"]}-${two("month")}-${two("day")}`;
  return parts["hour"] === undefined
    ? date
    : `${date}T${two("hour")}:${two("minute")}:${two("second")}${offset}`;
}
