/** Formats numbers, times and codes for people. */

import { findIndustry } from "../../contract/cities/industry.ts";
import { dayText } from "../../kernel/time.ts";

const NO_BREAK_SPACE = "\u00a0";
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function number(value: number): string {
  return whole.format(value);
}

/** `1 observation`, `2,617 observations`. */
export function count(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `11.1 %` from a ratio. */
export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)}${NO_BREAK_SPACE}%`;
}

/** Formats a score or percentile as in the JSON. */
export function score(value: number | null): string {
  return value?.toFixed(2) ?? "none yet";
}

/** `Oct 2026` from a month such as `2026-10`. */
export function monthText(month: string): string {
  return dayText(`${month}-01`).slice(2);
}

/** `1 May 2026` from an ISO time. The caller states that it is UTC. */
export function utcDate(iso: string): string {
  return dayText(iso);
}

/** `1 May 2026, 09:30` from an ISO time. The caller states that it is UTC. */
export function utcMinute(iso: string): string {
  return `${dayText(iso)}, ${iso.slice(11, 16)}`;
}

export function utcTime(iso: string): string {
  return `${utcMinute(iso)} UTC`;
}

/** Stands once on a page that shows days of observations. */
export const CITY_DAYS = "Dates are in the city's solar time.";

/** `29 Oct 2026`, the city's day of an observation. */
export function cityDay(day: string | null): string {
  return day === null ? "none yet" : dayText(day);
}

/** `Freight transport by road (ISIC 4923)`. */
export function industryText(code: string | null): string {
  if (code === null) return "not classified";
  const industry = findIndustry(code);
  return industry === undefined ? code : `${industry.title} (ISIC ${code})`;
}

const UNITS = [
  { seconds: 86_400, one: "day", many: "days" },
  { seconds: 3600, one: "hour", many: "hours" },
  { seconds: 60, one: "minute", many: "minutes" },
];

/** `30 minutes` from seconds, in the largest unit that divides them. */
export function duration(seconds: number): string {
  const unit = UNITS.find((each) => seconds >= each.seconds && seconds % each.seconds === 0);
  return unit === undefined
    ? count(seconds, "second", "seconds")
    : count(seconds / unit.seconds, unit.one, unit.many);
}
