/**
 * Attacks on the hour of an observation. The reader knows the habits: how often each hour occurs in a city, for a kind of
 * asset and of source. He is the first scout of the first city himself, so he recognizes his own rows and knows their hours.
 */

import { HOUR_MS, solarDayStart, solarOffsetHours } from "../../../src/kernel/time.ts";
import { type AttackLine, shareLine, shareOf, statedLine } from "./score.ts";
import { habitOf, modeOf, type Sight } from "./sight.ts";

/** An hour for a row, or undefined where the method says nothing: then the reader guesses. */
type Method = (sight: Sight) => number | undefined;

const NEIGHBORS = 7;

export function hourLines(sights: readonly Sight[], lists: readonly (readonly number[])[]): AttackLine[] {
  const own = sights[0]?.visit.city.scouts[0];
  const tried = sights.filter(({ visit }) => visit.scout !== own);
  const usual = usualOf(sights, habitOf);
  const right = (method: Method) =>
    shareOf(tried, (sight) => hourBy(method, usual, sight) === sight.visit.localHour);
  const guess = right(() => undefined);
  const methods: Record<string, Method> = {
    "published time": ({ shownHour }) => shownHour,
    "median of the nearest known rows": neighborMedian(sights, (sight) => sight.visit.scout === own),
    "order of row numbers": byRank(sights, [sights.map(({ row }) => row.id)]),
    "order in lists": byRank(
      sights,
      lists.map((list) => [...list].reverse()),
    ),
    "day of acceptance": usualOf(sights, (sight) => `${habitOf(sight)} ${sight.lag}`),
    "model and legibility": usualOf(
      sights,
      ({ row }) => `${row.recognition_model_version} ${row.legibility}`.slice(0, 60),
      5,
    ),
  };
  const lines = Object.entries(methods).map(([method, attack]) =>
    shareLine({ attack: "hours", method, tried: tried.length, guess, found: right(attack) }),
  );
  return [...lines, ...acceptanceLines(sights)];
}

/** By city: where the UTC day ends in the middle of the working day, the night of publication halves it. */
function acceptanceLines(sights: readonly Sight[]): AttackLine[] {
  const guessed = usualOf(sights, habitOf);
  const split = usualOf(sights, (sight) => `${habitOf(sight)} ${sight.lag}`);
  const right = (rows: readonly Sight[], method: Method) =>
    shareOf(rows, (sight) => method(sight) === sight.visit.localHour);
  return [...Map.groupBy(sights, ({ row }) => row.city)].map(([city, rows]) =>
    statedLine({
      attack: "hours",
      method: `day of acceptance, in ${city}`,
      tried: rows.length,
      guess: right(rows, guessed),
      found: right(rows, split),
    }),
  );
}

function hourBy(method: Method, usual: Method, sight: Sight): number | undefined {
  return method(sight) ?? usual(sight);
}

/** The most frequent hour of the group, which is more than a reader would know. */
function usualOf(sights: readonly Sight[], groupOf: (sight: Sight) => string, least = 1): Method {
  const groups = Map.groupBy(sights, groupOf);
  const hours = new Map(
    [...groups].flatMap(([group, members]) => {
      const mode = members.length < least ? undefined : modeOf(members.map(({ visit }) => visit.localHour));
      return mode === undefined ? [] : [[group, mode.value] as const];
    }),
  );
  return (sight) => hours.get(groupOf(sight));
}

/** The attack: the median time of the rows nearest by number whose hour is published, or whose hour the reader knows. */
function neighborMedian(sights: readonly Sight[], isOwn: (sight: Sight) => boolean): Method {
  const known = sights.flatMap((sight) => {
    const hour = sight.shownHour ?? (isOwn(sight) ? sight.visit.localHour : undefined);
    return hour === undefined
      ? []
      : [{ id: sight.row.id, instant: instantOf(sight, hour), accepted: sight.row.accepted_at }];
  });
  const byDay = Map.groupBy(known, ({ accepted }) => accepted);
  return (sight) => {
    if (sight.shownHour !== undefined) return sight.shownHour;
    const nearest = (byDay.get(sight.row.accepted_at) ?? [])
      .toSorted((a, b) => Math.abs(a.id - sight.row.id) - Math.abs(b.id - sight.row.id))
      .slice(0, NEIGHBORS)
      .map(({ instant }) => instant)
      .sort((a, b) => a - b);
    const middle = nearest[Math.floor(nearest.length / 2)];
    return middle === undefined ? undefined : localHour(sight, middle);
  };
}

function instantOf({ day, visit }: Sight, hour: number): number {
  return solarDayStart(day, solarOffsetHours(visit.city.place.lng)) + hour * HOUR_MS;
}

function localHour({ day, visit }: Sight, instant: number): number | undefined {
  const hour = Math.floor((instant - solarDayStart(day, solarOffsetHours(visit.city.place.lng))) / HOUR_MS);
  return hour >= 0 && hour < 24 ? hour : undefined;
}

/** Takes the order within a day for the order of time: a row at a third of the day's rows has the hour that a third of them precede. */
function byRank(sights: readonly Sight[], orders: readonly (readonly number[])[]): Method {
  const byId = new Map(sights.map((sight) => [sight.row.id, sight]));
  const hours = hoursInOrder(sights);
  const guesses = new Map<number, number>();
  const ranked = (group: readonly Sight[]) => {
    for (const [at, sight] of group.entries()) {
      const usual = hours.get(habitOf(sight)) ?? [];
      const hour = usual[Math.floor(((at + 0.5) / group.length) * usual.length)];
      if (group.length > 1 && hour !== undefined) guesses.set(sight.row.id, hour);
    }
  };
  for (const order of orders) {
    const listed = order.flatMap((id) => byId.get(id) ?? []);
    for (const group of Map.groupBy(listed, (sight) => `${habitOf(sight)} ${sight.row.accepted_at}`).values())
      ranked(group);
  }
  return ({ row }) => guesses.get(row.id);
}

function hoursInOrder(sights: readonly Sight[]): Map<string, number[]> {
  const groups = [...Map.groupBy(sights, habitOf)];
  return new Map(
    groups.map(([habit, rows]) => [habit, rows.map(({ visit }) => visit.localHour).sort((a, b) => a - b)]),
  );
}
