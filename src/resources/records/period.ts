/** What is known of a record in months, and between two days. */

import type { RecordMonth } from "../../contract/records/evidence.ts";
import type { ObservedPeriod } from "../../contract/records/observation.ts";
import { PublicError } from "../../kernel/errors.ts";
import {
  cityDate,
  DAY_MS,
  isoMonth,
  monthOf,
  monthOfDay,
  solarDayNumber,
  solarOffsetHours,
  solarSpan,
} from "../../kernel/time.ts";
import type { Observed } from "../../snapshot/queries/observation-columns.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { periodQuote } from "../citations/citation.ts";
import type { Subject } from "./record.ts";

/** What each month brought: sightings, or a visit of the area without one. */
export function recordMonths(snapshot: Snapshot, record: RecordRow, city: CityRow): RecordMonth[] {
  const months = new Map<string, RecordMonth>();
  const at = (month: string): RecordMonth => {
    const known = months.get(month) ?? { month, sightings: 0, independent: 0, area_visited: false };
    months.set(month, known);
    return known;
  };
  const offset = solarOffsetHours(city.lng);
  for (const { observedAt, state, setAside } of snapshot.storedObservationsOf(record.id)) {
    if (state === "rejected") continue;
    const month = at(isoMonth(solarDayNumber(observedAt, offset)));
    month.sightings += 1;
    if (setAside === null) month.independent += 1;
  }
  for (const [first = 0, last = first] of record.monthsLooked)
    for (let number = first; number <= last; number += 1) at(monthOf(number)).area_visited = true;
  return [...months.values()].sort((a, b) => (a.month < b.month ? -1 : 1));
}

/** The days of a request, both included. */
export interface ObservedDays {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The time of these days in a city; undefined without any. Throws PublicError 400 for days in the wrong order. */
export function daysObserved(
  { from, to }: ObservedDays,
  { lng }: Pick<CityRow, "lng">,
): Observed | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (from !== undefined && to !== undefined && from > to)
    throw new PublicError(400, `from must not be after to (got ${from} and ${to})`);
  const first = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from) / DAY_MS;
  const last = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) / DAY_MS;
  return solarSpan({ first, last }, lng);
}

/** In a cursor; none without days, so that cursors of lists without them stay as they are. */
export function dayFilters({ from, to }: ObservedDays): (string | null)[] {
  return from === undefined && to === undefined ? [] : [from ?? null, to ?? null];
}

export function observedPeriod(
  snapshot: Snapshot,
  subject: Subject,
  days: ObservedDays,
): ObservedPeriod | null {
  const { record, city } = subject;
  const observed = daysObserved(days, city);
  if (observed === undefined) return null;
  const { accepted, counted, observers, first, last } = snapshot.citedBetween(record.id, observed);
  const dayOf = (ms: number | null) => (ms === null ? null : cityDate(ms, city.lng));
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  return {
    from: days.from ?? null,
    to: days.to ?? null,
    sightings: accepted,
    independent: counted,
    independent_observers: observers,
    first_observed_on: firstDay,
    last_observed_on: lastDay,
    citation: monthsCitation(snapshot, subject, days.from ?? firstDay, days.to ?? lastDay),
  };
}

/** The months of a citation end with the present one at the latest. */
function monthsCitation(
  snapshot: Snapshot,
  subject: Subject,
  firstDay: string | null,
  lastDay: string | null,
): ObservedPeriod["citation"] {
  if (firstDay === null || lastDay === null) return null;
  const today = cityDate(snapshot.release().asOf, subject.city.lng);
  const from = monthOfDay(firstDay);
  const to = monthOfDay(lastDay < today ? lastDay : today);
  const quote = from > to ? undefined : periodQuote(snapshot, subject, { from, to });
  return quote === undefined
    ? null
    : { from, to, citation_id: quote.id, citation_url: quote.url, quote: quote.text };
}
