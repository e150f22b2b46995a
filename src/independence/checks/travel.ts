import { HOUR_MS, utcDayStart } from "../../kernel/time.ts";
import { FLIGHT_MS, INDEPENDENCE } from "../parameters.ts";
import { type EnteringTrace, metersBetween, type ReviewItem } from "../trace.ts";
import { hasOwnTime, MeetingIndex, placeName } from "./rows.ts";

const { slackMeters, roadSpeed, flightSpeed, lookback } = INDEPENDENCE.travel;
const METERS_PER_KM = 1000;
const HALF_EARTH_METERS = 20_020_000;

function travelMs(meters: number, speed: number): number {
  return (meters / (speed * METERS_PER_KM)) * HOUR_MS;
}

/** In this time an observer can be anywhere on Earth. */
export const ANYWHERE_MS = FLIGHT_MS + travelMs(HALF_EARTH_METERS, flightSpeed);

export type Sighting = Pick<EnteringTrace, "row" | "instant" | "lat" | "lng">;

/** Whether one observer can have made both sightings: by road, or by a flight with its time on the ground. */
export function canTravel(a: Sighting, b: Sighting): boolean {
  const elapsed = Math.abs(a.instant - b.instant);
  if (elapsed >= ANYWHERE_MS) return true;
  const meters = metersBetween(a, b) - slackMeters;
  if (meters <= 0) return true;
  return elapsed >= Math.min(travelMs(meters, roadSpeed), FLIGHT_MS + travelMs(meters, flightSpeed));
}

/** The best chain of possible travel that ends with a sighting: the longest, of equal ones that of the lowest rows. */
interface Chain {
  readonly sighting: Sighting;
  readonly before: Chain | undefined;
  readonly length: number;
  readonly rows: number;
}

function isBetter(a: Chain, b: Chain | undefined): boolean {
  if (b === undefined) return true;
  return a.length > b.length || (a.length === b.length && a.rows < b.rows);
}

function extend(before: Chain | undefined, sighting: Sighting): Chain {
  return {
    sighting,
    before,
    length: (before?.length ?? 0) + 1,
    rows: (before?.rows ?? 0) + sighting.row,
  };
}

/** Grows the chains of one observer, sighting by sighting in the order of time. */
class Chains {
  readonly #chains: Chain[] = [];
  #best: Chain | undefined;
  #old: Chain | undefined; // the best of those that are old enough to come from anywhere
  #oldCount = 0;

  add(sighting: Sighting): void {
    this.#age(sighting.instant);
    const canExtendBest = this.#best !== undefined && canTravel(this.#best.sighting, sighting);
    const chain = extend(canExtendBest ? this.#best : this.#bestBefore(sighting), sighting);
    this.#chains.push(chain);
    if (isBetter(chain, this.#best)) this.#best = chain;
  }

  longest(): readonly Sighting[] {
    const sightings: Sighting[] = [];
    for (let chain = this.#best; chain !== undefined; chain = chain.before) sightings.push(chain.sighting);
    return sightings.reverse();
  }

  #age(instant: number): void {
    for (
      let chain = this.#chains[this.#oldCount];
      chain !== undefined;
      chain = this.#chains[this.#oldCount]
    ) {
      if (instant - chain.sighting.instant < ANYWHERE_MS) return;
      if (isBetter(chain, this.#old)) this.#old = chain;
      this.#oldCount++;
    }
  }

  #bestBefore(sighting: Sighting): Chain | undefined {
    let best = this.#old;
    for (const chain of this.#chains.slice(-lookback).reverse()) {
      if (isBetter(chain, best) && canTravel(chain.sighting, sighting)) best = chain;
    }
    return best;
  }
}

function longestChain(sorted: readonly Sighting[]): readonly Sighting[] {
  const chains = new Chains();
  for (const sighting of sorted) chains.add(sighting);
  return chains.longest();
}

/** Sightings outside the chain that fit between their neighbors in it do not contradict it. */
function contradictions(sorted: readonly Sighting[], chain: readonly Sighting[]): readonly Sighting[] {
  const dropped: Sighting[] = [];
  let position = 0;
  let before: Sighting | undefined;
  for (const sighting of sorted) {
    const after = chain[position];
    if (sighting === after) {
      position++;
      before = sighting;
      continue;
    }
    const fits =
      (before === undefined || canTravel(before, sighting)) &&
      (after === undefined || canTravel(sighting, after));
    if (fits) before = sighting;
    else dropped.push(sighting);
  }
  return dropped;
}

export function byInstant(a: Sighting, b: Sighting): number {
  return a.instant - b.instant || a.row - b.row;
}

/**
 * Sightings of one observer that contradict the longest possible trip: a single misplaced one costs itself alone, and of a
 * device reported at two places only one place counts. Only the observer's own rows decide.
 */
export function impossibleTravel(sightings: readonly Sighting[]): readonly Sighting[] {
  const sorted = [...sightings].sort(byInstant);
  const isPossible = sorted.every((sighting, index) => {
    const before = sorted[index - 1];
    return before === undefined || canTravel(before, sighting);
  });
  return isPossible ? [] : contradictions(sorted, longestChain(sorted));
}

const rule = INDEPENDENCE.coTravel;

/** A row that coincides with an earlier one of another observer. */
export interface Meeting {
  readonly row: EnteringTrace;
  readonly earlier: EnteringTrace;
}

/** An observer whose rows keep coinciding with earlier rows of a leader. */
export interface Following {
  readonly follower: string;
  readonly leader: string;
  readonly leaderPrincipal: string;
  /** The row with which the pattern was complete. */
  readonly sinceRow: number;
  readonly meetings: readonly Meeting[];
}

export interface CoTravel {
  readonly followings: readonly Following[];
  readonly items: readonly ReviewItem[];
}

/** How many timed rows each observer entered, in all and by day. */
class Activity {
  readonly #rows = new Map<string, number>();
  readonly #rowsOfDays = new Map<string, Map<number, number>>();

  add({ observer, instant }: EnteringTrace): void {
    const days = this.#rowsOfDays.get(observer) ?? new Map<number, number>();
    this.#rowsOfDays.set(observer, days);
    const day = utcDayStart(instant);
    days.set(day, (days.get(day) ?? 0) + 1);
    this.#rows.set(observer, this.rows(observer) + 1);
  }

  rows(observer: string): number {
    return this.#rows.get(observer) ?? 0;
  }

  rowsOfDay(observer: string, day: number): number {
    return this.#rowsOfDays.get(observer)?.get(day) ?? 0;
  }
}

/** What coincided in one direction: rows of the follower with earlier rows of the leader. */
class Pair {
  readonly follower: string;
  readonly leader: string;
  readonly leaderPrincipal: string;
  readonly meetings: Meeting[] = [];
  sinceRow: number | undefined;
  readonly #rows = new Set<number>();
  readonly #places = new Set<string>();
  readonly #days = new Map<number, { rows: number; readonly places: Set<string> }>();

  constructor({ row, earlier }: Meeting) {
    this.follower = row.observer;
    this.leader = earlier.observer;
    this.leaderPrincipal = earlier.principal;
  }

  add(meeting: Meeting, activity: Activity): void {
    this.meetings.push(meeting);
    if (!this.#rows.has(meeting.row.row)) this.#count(meeting.row);
    if (this.sinceRow === undefined && this.isFollowing(activity)) this.sinceRow = meeting.row.row;
  }

  isFollowing(activity: Activity): boolean {
    return this.#isRepeated() && (this.#hasShareOf(activity) || this.#hasDaysOf(activity));
  }

  /** Whether most of the leader's rows lie within the follower's trace. */
  coversLeader(activity: Activity): boolean {
    return this.#isRepeated() && this.#rows.size >= rule.leaderShare * activity.rows(this.leader);
  }

  #count(row: EnteringTrace): void {
    const place = placeName(row);
    const day = utcDayStart(row.instant);
    const ofDay = this.#days.get(day) ?? { rows: 0, places: new Set<string>() };
    this.#rows.add(row.row);
    this.#places.add(place);
    this.#days.set(day, ofDay);
    ofDay.rows++;
    ofDay.places.add(place);
  }

  #isRepeated(): boolean {
    return this.#places.size >= rule.places && this.#days.size >= rule.days;
  }

  #hasShareOf(activity: Activity): boolean {
    return this.#rows.size >= rule.share * activity.rows(this.follower);
  }

  /** Days on which they went together, whatever the follower did on other days. */
  #hasDaysOf(activity: Activity): boolean {
    const together = [...this.#days].filter(
      ([day, { rows }]) => rows >= rule.share * activity.rowsOfDay(this.follower, day),
    );
    const places = together.reduce((sum, [, ofDay]) => sum + ofDay.places.size, 0);
    return together.length >= rule.days && places >= rule.dayPlaces;
  }
}

function pairItem({ follower, leader, meetings }: Pair): ReviewItem {
  const rows = new Set(meetings.flatMap(({ row, earlier }) => [earlier.row, row.row]));
  return {
    check: "co_travel",
    record: null,
    observers: [leader, follower],
    rows: [...rows].sort((a, b) => a - b),
  };
}

/**
 * Observers whose traces keep coinciding: one walk with two devices. The observer that follows is the one whose rows entered
 * later, so an observer can be taken for a follower only by its own rows, and rows sent after them change nothing. The share
 * is of the follower's rows, so dummy rows of a leader do not help it, and it lies under one half, so taking turns at
 * entering first does not either. Where only most of the leader's few rows coincide, an item is raised and nothing set aside:
 * otherwise a few invented rows on a vehicle's usual route would discredit it.
 */
export function findCoTravel(traces: readonly EnteringTrace[]): CoTravel {
  const timed = traces.filter(hasOwnTime);
  const index = new MeetingIndex(timed.length);
  const activity = new Activity();
  const pairs = new Map<string, Pair>();
  for (const row of timed) {
    activity.add(row);
    for (const earlier of index.meet(row)) {
      const key = `${row.observer} ${earlier.observer}`;
      const meeting = { row, earlier };
      const pair = pairs.get(key) ?? new Pair(meeting);
      pairs.set(key, pair);
      pair.add(meeting, activity);
    }
  }
  const followings = [...pairs.values()].flatMap((pair) => toFollowing(pair, activity));
  const items = [...pairs.values()]
    .filter((pair) => pair.isFollowing(activity) || pair.coversLeader(activity))
    .map(pairItem);
  return { followings, items };
}

function toFollowing(pair: Pair, activity: Activity): readonly Following[] {
  const { follower, leader, leaderPrincipal, sinceRow, meetings } = pair;
  if (sinceRow === undefined || !pair.isFollowing(activity)) return [];
  return [{ follower, leader, leaderPrincipal, sinceRow, meetings }];
}

/** The row from which on a principal is established; Infinity where it is not. */
export type EstablishedRow = (principal: string) => number;

/** Decides in the order of entry which rows of followers count beside those of their leaders. */
class Companions {
  readonly setAside = new Set<number>();
  readonly #followings = new Map<string, Following[]>(); // by follower
  readonly #meetings = new Map<number, EnteringTrace[]>(); // by row of the follower
  readonly #records = new Map<string, Set<number>>(); // for which a leader's rows count so far
  readonly #establishedRow: EstablishedRow;

  constructor(followings: readonly Following[], establishedRow: EstablishedRow) {
    this.#establishedRow = establishedRow;
    for (const following of followings) {
      addTo(this.#followings, following.follower, following);
      this.#records.set(following.leader, new Set());
      for (const { row, earlier } of following.meetings) addTo(this.#meetings, row.row, earlier);
    }
  }

  take(trace: EnteringTrace): void {
    if (this.#hasMet(trace) || this.#isHeld(trace)) this.setAside.add(trace.row);
    else this.#records.get(trace.observer)?.add(trace.record);
  }

  #hasMet({ row }: EnteringTrace): boolean {
    const met = this.#meetings.get(row) ?? [];
    return met.some(
      (earlier) => !this.setAside.has(earlier.row) && this.#establishedRow(earlier.principal) <= row,
    );
  }

  #isHeld({ row, observer, record }: EnteringTrace): boolean {
    const followings = this.#followings.get(observer) ?? [];
    return followings.some(
      ({ leader, leaderPrincipal }) =>
        this.#records.get(leader)?.has(record) === true && this.#establishedRow(leaderPrincipal) <= row,
    );
  }
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/**
 * Rows of followers that do not count: those that coincide with an earlier row of an established leader, and all about
 * records that the leader saw before. Together the two count as one principal for a record, also where they take turns.
 */
export function setAsideFollowers(
  followings: readonly Following[],
  traces: readonly EnteringTrace[],
  establishedRow: EstablishedRow,
): ReadonlySet<number> {
  if (followings.length === 0) return new Set();
  const companions = new Companions(followings, establishedRow);
  for (const trace of traces) companions.take(trace);
  return companions.setAside;
}
