/**
 * Attacks on who observed: for a row, the reader names a row of another business and another day that he takes for the same
 * observer's. Guessing is to take any row of the same city and kind of source that was accepted as late.
 */

import { type AttackLine, shareLine, shareOf, statedLine } from "./score.ts";
import type { Sight } from "./sight.ts";
import type { Habit } from "./world.ts";

/** How much speaks for a candidate; the highest wins, and equal ones share the chance. */
type Method = (sight: Sight, candidate: Sight) => number;

const LEAST_ACTIVE = 3;
/** Targets of an attack: more say nothing new, and the pairs grow with the square. */
const MAX_TARGETS = 1500;

export function observerLines(
  sights: readonly Sight[],
  linkedTags: ReadonlyMap<string, string>,
): AttackLine[] {
  const rota = sights.filter(isOf("rota"));
  const chained = chain(rota, linkedTags);
  const methods: Record<string, Method> = {
    "same observer tag": (a, b) => Number(tagOf(a, linkedTags) === tagOf(b, linkedTags)),
    "model version": (a, b) => Number(a.row.recognition_model_version === b.row.recognition_model_version),
    "decimals of the legibility": (a, b) => Number(decimals(a) === decimals(b)),
    "model and legibility": fingerprint,
    "days on which a tag is seen": tagDays(rota),
    "neighbors by row number, followed by tags": (a, b) =>
      Number(chained.get(a.row.id)?.has(b.row.id) ?? false),
    "nearest place": distance,
  };
  const lines = Object.entries(methods).map(([method, attack]) => ({
    attack: "observers",
    method,
    ...score(rota, attack, LEAST_ACTIVE, habitGroup),
  }));
  return [
    ...lines.map(shareLine),
    stated("day of acceptance", rota, (a, b) => Number(a.lag === b.lag)),
    stated("whether a row counts", rota, (a, b) => Number(a.row.counts === b.row.counts)),
    stated("one scout in the city", sights.filter(isOf("alone")), () => 0),
    stated("scouts with a territory of their own", sights.filter(isOf("territory")), distance),
  ];
}

function isOf(habit: Habit) {
  return ({ visit }: Sight) => visit.city.habit === habit;
}

function stated(method: string, sights: readonly Sight[], attack: Method): AttackLine {
  const least = sights.some(isOf("rota")) ? LEAST_ACTIVE : 1;
  return statedLine({ attack: "observers", method, ...score(sights, attack, least, groupOf) });
}

/** `least`: how many observers of the kind must be active in the city on the day. `guessed`: rows that a guess takes for one another. */
function score(sights: readonly Sight[], method: Method, least: number, guessed: (sight: Sight) => string) {
  const targets = spread(eligible(sights, least), MAX_TARGETS);
  const groups = Map.groupBy(eligible(sights, least), guessed);
  let guess = 0;
  let found = 0;
  for (const sight of targets) {
    const candidates = (groups.get(guessed(sight)) ?? []).filter(
      (other) => other.visit.business !== sight.visit.business && other.day !== sight.day,
    );
    if (candidates.length === 0) continue;
    const isRight = ({ visit }: Sight) => visit.scout === sight.visit.scout;
    const weights = candidates.map((candidate) => method(sight, candidate));
    const most = weights.reduce((a, b) => Math.max(a, b));
    const best = candidates.filter((_, at) => weights[at] === most);
    guess += shareOf(candidates, isRight);
    found += shareOf(best, isRight);
  }
  const tried = targets.length;
  return { tried, guess: guess / Math.max(1, tried), found: found / Math.max(1, tried) };
}

const groupOf = ({ row }: Sight) => `${row.city} ${row.source_type}`;
/** What the day of acceptance tells has a line of its own, so the other methods are measured beyond it. */
const habitGroup = (sight: Sight) => `${groupOf(sight)} ${sight.lag}`;

function eligible(sights: readonly Sight[], least: number): Sight[] {
  return [...Map.groupBy(sights, (sight) => `${groupOf(sight)} ${sight.day}`).values()]
    .filter((day) => new Set(day.map(({ visit }) => visit.scout)).size >= least)
    .flat();
}

function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return Array.from(
    { length: Math.min(most, items.length) },
    (_, at) => items[Math.floor(at * step)],
  ).flatMap((item) => (item === undefined ? [] : [item]));
}

/** `linkedTags`: tags of which the ledger says that they are one principal's, each with the one that it goes under. */
function tagOf({ row }: Sight, linkedTags: ReadonlyMap<string, string>): string {
  return linkedTags.get(row.observer_tag) ?? row.observer_tag;
}

function decimals({ row }: Sight): number {
  return String(row.legibility ?? "").split(".")[1]?.length ?? 0;
}

/** The same program counts most, then the way of writing numbers, then a similar legibility. */
function fingerprint(a: Sight, b: Sight): number {
  const sameModel = Number(a.row.recognition_model_version === b.row.recognition_model_version);
  const near = 1 - Math.abs((a.row.legibility ?? 0) - (b.row.legibility ?? 0));
  return 4 * sameModel + 2 * Number(decimals(a) === decimals(b)) + near;
}

/** Tags that are seen on the same days may be the same observer's on two records. */
function tagDays(sights: readonly Sight[]): Method {
  const days = new Map(
    [...Map.groupBy(sights, ({ row }) => row.observer_tag)].map(([tag, rows]) => [
      tag,
      new Set(rows.map(({ day }) => day)),
    ]),
  );
  return (a, b) => {
    const [left, right] = [days.get(a.row.observer_tag), days.get(b.row.observer_tag)];
    const shared = [...(left ?? [])].filter((day) => right?.has(day)).length;
    return shared / Math.max(1, (left?.size ?? 0) + (right?.size ?? 0) - shared);
  };
}

/** Row `a` stands next to a row of the same day; that row's tag leads to other days; next to those stands the candidate. */
function chain(sights: readonly Sight[], linkedTags: ReadonlyMap<string, string>): Map<number, Set<number>> {
  const byTag = Map.groupBy(sights, (sight) => tagOf(sight, linkedTags));
  const neighbors = neighborsOf(sights);
  return new Map(
    sights.map((sight) => {
      const sameDay = [sight, ...(neighbors.get(sight.row.id) ?? [])];
      const otherDays = sameDay.flatMap((other) => byTag.get(tagOf(other, linkedTags)) ?? []);
      const reached = otherDays.flatMap((other) => [other, ...(neighbors.get(other.row.id) ?? [])]);
      return [sight.row.id, new Set(reached.map(({ row }) => row.id))];
    }),
  );
}

/** The rows before and after by number, of the same city, kind of source and day. */
function neighborsOf(sights: readonly Sight[]): Map<number, Sight[]> {
  const neighbors = new Map<number, Sight[]>();
  for (const group of Map.groupBy(sights, (sight) => `${groupOf(sight)} ${sight.day} ${sight.lag}`).values())
    for (const [at, { row }] of group.entries())
      neighbors.set(
        row.id,
        [group[at - 1], group[at + 1]].flatMap((sight) => (sight === undefined ? [] : [sight])),
      );
  return neighbors;
}

/** Cells whose names begin alike lie close together. */
function distance(a: Sight, b: Sight): number {
  let same = 0;
  while (same < a.row.h3_cell.length && a.row.h3_cell[same] === b.row.h3_cell[same]) same += 1;
  return same;
}
