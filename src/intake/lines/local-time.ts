import { OperatorError } from "../../kernel/errors.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { LineFault } from "./fault.ts";

/** A time as the clocks of a zone show it, `2026-07-01T14:05:00` -> the same with its offset from UTC. Throws LineFault. */
export type ZoneClock = (local: string) => string;

const ZONE = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+){1,2})$/;
const MINUTE_MS = 60_000;
const CACHED_DAYS = 10_000;

/** Throws OperatorError for what is no IANA time zone, naming near ones. */
export function assertTimeZone(name: string): void {
  if (ZONE.test(name) && isKnown(name)) return;
  const word = name.split("/").at(-1)?.toLowerCase() ?? "";
  const near = Intl.supportedValuesOf("timeZone").filter(
    (zone) => word !== "" && zone.toLowerCase().split("/").at(-1) === word,
  );
  throw new OperatorError(
    `is not a time zone of the IANA database (got ${name})${near.length > 0 ? `: did you mean ${near.join(" or ")}?` : ", such as Europe/Brussels"}`,
  );
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/**
 * The clock of a zone. A time that the clocks skip when summer time begins, and one that they show twice when it ends, are refused:
 * the first is wrong, and of the second nobody can say which it is.
 */
export function zoneClock(timeZone: string): ZoneClock {
  const offsetAt = offsets(timeZone);
  const days = new Map<string, readonly number[]>();
  const offsetsAround = (date: string): readonly number[] => {
    const known = days.get(date);
    if (known !== undefined) return known;
    const noon = Date.parse(`${date}T12:00:00Z`);
    const around = [...new Set([-1.5, -0.5, 0.5, 1.5].map((days) => offsetAt(noon + days * DAY_MS)))];
    if (days.size >= CACHED_DAYS) days.clear();
    days.set(date, around);
    return around;
  };
  return (local) => {
    const asUtc = Date.parse(`${local}Z`);
    if (Number.isNaN(asUtc)) return local; // no time of the calendar: validation says so
    const around = offsetsAround(local.slice(0, 10));
    const right =
      around.length === 1
        ? around
        : around.filter((offset) => offsetAt(asUtc - offset * MINUTE_MS) === offset);
    const [offset] = right;
    if (right.length === 1 && offset !== undefined) return `${local}${offsetText(offset)}`;
    throw right.length === 0
      ? new LineFault("no_such_local_time", "observed_at", `is a time that the clocks of ${timeZone} skipped`)
      : new LineFault(
          "ambiguous_local_time",
          "observed_at",
          `is a time that the clocks of ${timeZone} showed twice: give it with its offset from UTC`,
        );
  };
}

/** The offset from UTC in minutes at an instant (ms). */
function offsets(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
  });
  return (instant) => {
    const minute = Math.floor(instant / MINUTE_MS) * MINUTE_MS;
    const parts = new Map(format.formatToParts(minute).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
    return (local - minute) / MINUTE_MS;
  };
}

function offsetText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
