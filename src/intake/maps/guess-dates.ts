import type { GazetteerCity } from "../../contract/cities/city.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { dayTest, otherReading } from "../lines/date-format.ts";
import { monthReader } from "../lines/month-names.ts";
import { zonesNear } from "../places/place.ts";
import type { Column } from "./column-words.ts";
import { localeOf } from "./guess-encoding.ts";

interface GuessedDates {
  readonly members: object;
  readonly hasOwnTime: boolean;
  readonly doubts: readonly string[];
}

/** What else is known of a file. */
export interface Surroundings {
  readonly country: string | undefined; // ISO 3166 code, of its places
  readonly lng: number | undefined;
  readonly now: number; // ms
  readonly cities: readonly GazetteerCity[];
}

const SAMPLE = 500;
const YEAR_LAST = ["/", "-", ".", " "].flatMap((mark) =>
  ["DD MM YYYY", "MM DD YYYY", "D M YYYY", "M D YYYY", "DD MM YY", "MM DD YY", "D M YY", "M D YY"].map(
    (form) => form.replaceAll(" ", mark),
  ),
);
const BY_NAME = ["D MMM YYYY", "D. MMM YYYY", "D-MMM-YYYY", "D/MMM/YYYY", "MMM D, YYYY", "MMM D YYYY"].concat(
  "D [de] MMM [de] YYYY",
  "D MMM, YYYY",
  "YYYY MMM D",
  "YYYY. MMM D.",
);
const DAY_FORMS = ["YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "YYYY/M/D", "YYYY-M-D"].concat(
  "YYYY年M月D日",
  "YYYY년 M월 D일",
  "YYYY. M. D.",
  "DD.MM.YYYY [г.]",
  YEAR_LAST,
  BY_NAME,
  BY_NAME.map((form) => form.replace("YYYY", "YY")),
  "YY-MM-DD",
  "YY/MM/DD",
  "YY.MM.DD",
);
const TIME_FORMS = [
  "",
  "HH:mm:ss",
  "HH:mm",
  "H:mm:ss",
  "H:mm",
  "hh:mm:ss A",
  "hh:mm A",
  "h:mm:ss A",
  "h:mm A",
].concat(
  "HH:mm:ss.SSS",
  "H.mm",
  "H.mm.ss",
  "H[h]mm",
  "H[ h ]mm",
  "H:mm [Uhr]",
  "H時mm分",
  "H시 mm분",
  "HHmm",
);
const MARKS = [" ", "T", ", ", " - ", " [à] ", " [um] "];
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const LOCAL_ISO = /T[\d:.]+$/;
const UNIX = /^1[0-9]{9}(\d{3}|\.\d{1,6})?$/;
const SPREADSHEET = /^4\d{4}[.,]\d+$/;
/** Languages whose months are tried after that of the country. */
const LANGUAGES = "en de fr es pt it nl pl cs sk hu ro sv da nb fi el tr hr sl ru uk bg".split(" ");

interface Form {
  readonly day: string;
  readonly mark: string;
  readonly clock: string;
  readonly language: string | undefined; // of names of months
}

function textOf({ day, mark, clock }: Omit<Form, "language">): string {
  return clock === "" ? day : `${day}${mark}${clock}`;
}

const TOKENS = /\[([^\]]*)\]|YYYY|YY|MMM|MM?|ddd|DD?|HH?|hh?|mm|ss|SSS|A/g;

/** All forms by their shape, because compiling thousands of them for each column would take seconds. Made when it is first asked for. */
let byShape: ReadonlyMap<string, readonly Omit<Form, "language">[]> | undefined;

function formsOf(shape: string): readonly Omit<Form, "language">[] {
  byShape ??= Map.groupBy(allForms(), (form) =>
    shapeOf(textOf(form).replace(TOKENS, (token, words) => words ?? (/[MdA]{3}|A/.test(token) ? "x" : "0"))),
  );
  return byShape.get(shape) ?? [];
}

function allForms(): Omit<Form, "language">[] {
  return ["", "ddd "].flatMap((weekday) =>
    DAY_FORMS.flatMap((day) =>
      TIME_FORMS.flatMap((clock) =>
        (clock === "" ? [""] : MARKS).map((mark) => ({ day: `${weekday}${day}`, mark, clock })),
      ),
    ),
  );
}

/** What is left of a text when each number is 0, and each word x. */
function shapeOf(text: string): string {
  return text.replace(/\d+/g, "0").replace(/\p{L}+[.,]*/gu, "x");
}

/** The form of dates, and the zone of times: a file decides between day and month where one of its dates can be read in one way only. */
export function guessDates(
  date: Column | undefined,
  time: Column | undefined,
  around: Surroundings,
): GuessedDates {
  const values = (date?.values ?? []).slice(0, SAMPLE);
  if (values.length === 0) return { members: {}, hasOwnTime: true, doubts: [] };
  const own = ownForm(values, time, around);
  if (own !== undefined) return own;
  const found = formOf(values, around);
  if (found === undefined)
    return {
      members: { date_formats: ["DD/MM/YYYY"] },
      hasOwnTime: true,
      doubts: [
        `The form of the dates in "${date?.name}" is none that is known (the first is ${values[0]}): correct "date_formats".`,
      ],
    };
  const { language } = found;
  const clock = found.clock || timeFormOf(time) || "";
  const form = textOf({ ...found, mark: found.clock === "" ? " " : found.mark, clock });
  const other = otherReading(form);
  const otherDay = textOf({ ...found, day: otherReading(found.day) ?? "" });
  const isOpen =
    other !== undefined && shareOf(otherDay, values, around) === shareOf(textOf(found), values, around);
  const zone = clock === "" ? NO_ZONE : zoneMember(around);
  const twoReadings = `Every date in "${date?.name}" can be read in two ways (${form} or ${other}): leave the right one in "date_formats".`;
  return {
    members: {
      date_formats: isOpen ? [form, other] : [form],
      ...(language !== undefined && { language }),
      ...zone.members,
    },
    hasOwnTime: found.clock !== "",
    doubts: [...(isOpen ? [twoReadings] : []), ...zone.doubts],
  };
}

/** ISO 8601, seconds since 1970, and days of a spreadsheet. */
function ownForm(
  values: readonly string[],
  time: Column | undefined,
  around: Surroundings,
): GuessedDates | undefined {
  const most = (pattern: RegExp) =>
    values.filter((value) => pattern.test(value)).length >= MIN_SHARE * values.length;
  if (most(UNIX)) return { members: { date_formats: ["unix"] }, hasOwnTime: true, doubts: [] };
  const isSpreadsheet = most(SPREADSHEET);
  if (!isSpreadsheet && !most(ISO)) return undefined;
  if (!values.some((value) => /[T.,]/.test(value)) && timeFormOf(time) !== undefined) return undefined;
  const needsZone = isSpreadsheet || values.some((value) => LOCAL_ISO.test(value));
  const { members, doubts } = needsZone ? zoneMember(around) : NO_ZONE;
  return {
    members: { ...(isSpreadsheet && { date_formats: ["excel"] }), ...members },
    hasOwnTime: isSpreadsheet || values.some((value) => value.includes("T")),
    doubts,
  };
}

/** Whether a column holds dates, or times of day. */
export function holdsDates({ values }: Column, around: Surroundings): boolean {
  const some = values.slice(0, SAMPLE);
  return some.length > 0 && (ownForm(some, undefined, around) ?? formOf(some, around)) !== undefined;
}

export function holdsTimes(column: Column): boolean {
  return timeFormOf(column) !== undefined;
}

/** Some lines of a file may have no date, or a wrong one. */
const MIN_SHARE = 0.9;

/** The share of values that a form reads. */
function shareOf(
  form: string,
  values: readonly string[],
  { now }: Pick<Surroundings, "now">,
  language?: string,
): number {
  return values.filter(dayTest(form, { until: now + DAY_MS, language })).length / values.length;
}

function formOf(values: readonly string[], around: Surroundings): Form | undefined {
  const [first = ""] = values;
  if (!/\d/.test(first) || first.length > MAX_DATE) return undefined;
  const language = /\p{L}{3}/u.test(first) ? languageOf(values, around) : undefined;
  const shapes = new Set(values.slice(0, FIRST).map(shapeOf));
  return [...shapes]
    .flatMap(formsOf)
    .filter(({ day }) => day.includes("MMM") === (language !== undefined))
    .map((form): Form => ({ ...form, language }))
    .map((form) => ({ ...form, share: shareOf(textOf(form), values, around, language) }))
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.share - a.share)[0];
}

/** So many values say what shape a date may have. */
const FIRST = 5;
const MAX_DATE = 60;

/** The language in which each value has a word that is a month. */
function languageOf(values: readonly string[], { country }: Surroundings): string | undefined {
  const own = country === undefined ? [] : [localeOf(country).language];
  return [...own, ...LANGUAGES].find((language) => {
    const monthOf = monthReader(language);
    const hasMonth = (value: string) =>
      (value.match(/\p{L}{3,}/gu) ?? []).some((word) => monthOf(word) !== undefined);
    return values.filter(hasMonth).length >= MIN_SHARE * values.length;
  });
}

function timeFormOf(time: Column | undefined): string | undefined {
  const values = (time?.values ?? []).slice(0, SAMPLE);
  if (values.length === 0) return undefined;
  return TIME_FORMS.find((clock) => {
    const isTime = dayTest(`YYYY-MM-DD ${clock}`);
    const fitting = values.filter((value) => isTime(`2026-01-01 ${value}`));
    return clock !== "" && fitting.length >= MIN_SHARE * values.length;
  });
}

const NO_ZONE = { members: {}, doubts: [] };

function zoneMember({ country, lng, now, cities }: Surroundings): { members: object; doubts: string[] } {
  const [zone = "UTC", ...others] = country === undefined ? [] : zonesNear({ country, lng }, now, cities);
  const said =
    country === undefined
      ? "is a guess, because no country is known"
      : others.length === 0
        ? `is the zone of ${country}, where the places lie; correct it if the clocks were others`
        : `is a guess: ${country} has other zones, too (${others.slice(0, 5).join(", ")}${others.length > 5 ? " …" : ""})`;
  return { members: { time_zone: zone }, doubts: [`"time_zone" ${said}.`] };
}
