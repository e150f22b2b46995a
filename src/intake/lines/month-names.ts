import { OperatorError } from "../../kernel/errors.ts";

/** The number of a month, from 1, by its name or the beginning of it; undefined for what is none, or may be two. */
type MonthReader = (name: string) => number | undefined;

const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15));
const MIN_LETTERS = 3;

/** Throws OperatorError for what is no language with known names of months. */
export function assertLanguage(language: string): void {
  if (isKnown(language)) return;
  throw new OperatorError(
    `is not a language with known month names (got ${language}): give a code such as "fr"`,
  );
}

function isKnown(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0;
  } catch {
    return false;
  }
}

/** Months of a language as they stand alone and in dates (listopad, 27 listopada), short and long; case, accents and points do not matter. */
export function monthReader(language: string): MonthReader {
  const forms = (["long", "short"] as const).flatMap((month) => [
    { month },
    { month, day: "numeric" as const },
  ]);
  const names = forms.flatMap((form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC", calendar: "gregory" });
    return MONTHS.map((date, at) => [plain(partOf(format, date)), at + 1] as const);
  });
  const exact = new Map(names.filter(([name]) => name !== ""));
  return (text) => {
    const asked = plain(text);
    if (exact.has(asked) || asked.length < MIN_LETTERS) return exact.get(asked);
    const begun = new Set(names.flatMap(([name, month]) => (name.startsWith(asked) ? [month] : [])));
    return begun.size === 1 ? [...begun][0] : undefined;
  };
}

function partOf(format: Intl.DateTimeFormat, date: number): string {
  return format.formatToParts(date).find(({ type }) => type === "month")?.value ?? "";
}

function plain(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[\p{M}.]/gu, "")
    .toLowerCase();
}
