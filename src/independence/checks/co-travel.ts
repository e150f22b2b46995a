import { utcDayStart } from "../../kernel/time.ts";
import { INDEPENDENCE } from "../parameters.ts";
import type { EnteringTrace, ReviewItem } from "../trace.ts";
import { MeetingIndex, placeName } from "./meetings.ts";
import { hasOwnTime } from "./rows.ts";

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
