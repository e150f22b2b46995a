import { businessesOf } from "./businesses.ts";
import { crowded, genericSigns, loneEligible, namesakes, twins } from "./cast.ts";
import { cityDecisions, decisionsAbout, flagDecisions, namesakeDecisions } from "./decisions.ts";
import type { Decision } from "./desk.ts";
import { CITIES, type DemoCity } from "./fixture.ts";
import { type DemoSighting, threadOf } from "./sightings.ts";

/** The events of one UTC day, in this order. */
export interface Night {
  readonly day: number;
  readonly registered: readonly DemoCity[];
  readonly sightings: readonly DemoSighting[];
  readonly decisions: readonly Decision[];
}

/** The year of the demonstration, day by day. Pure: the same fixtures give the same story. */
export function tellStory(): Night[] {
  const ordinary = CITIES.flatMap(businessesOf).map(threadOf);
  const pairs = namesakes();
  const cast = [...twins(), crowded(), loneEligible(), ...pairs.flatMap(({ threads }) => threads)];
  const sightings = [...[...ordinary, ...cast].flatMap((thread) => thread.sightings), ...genericSigns()];
  const decisions = [
    ...cityDecisions(),
    ...ordinary.flatMap(decisionsAbout),
    ...pairs.flatMap(namesakeDecisions),
    ...flagDecisions(ordinary),
  ];
  const [first, last] = [FIRST_DAY, LAST_DAY];
  const sightingsOf = Map.groupBy(sightings, ({ night }) => night);
  const decisionsOf = Map.groupBy(decisions, ({ night }) => night);
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: first + at,
    registered: CITIES.filter(({ first_day }) => first_day === first + at),
    sightings: sightingsOf.get(first + at) ?? [],
    decisions: decisionsOf.get(first + at) ?? [],
  }));
}

const FIRST_DAY = Math.min(...CITIES.map(({ first_day }) => first_day));
const LAST_DAY = Math.max(...CITIES.map(({ last_day }) => last_day));
