import type { EventName } from "./events.ts";

/** When what happens: numbers of nights, from 1. An event is of the evening before its night. */
export interface Plan {
  readonly firstDay: string; // a date, UTC
  readonly nights: number;
  readonly observations: number; // of the whole year before the last night
  readonly events: Readonly<Record<EventName, readonly number[]>>;
  /** Whether a night is verified, replayed and mirrored; the last one always is. */
  readonly isChecked: (night: number) => boolean;
}

const every = (step: number, first: number) =>
  Array.from({ length: Math.floor((365 - first) / step) + 1 }, (_, at) => first + at * step);

/** Has a leap day (29 February 2028), and both changes of the clocks in Toronto. */
export const YEAR: Plan = {
  firstDay: "2027-06-01",
  nights: 365,
  observations: 2900,
  events: {
    subscription: [22],
    review: every(7, 25),
    optOut: every(30, 35),
    redaction: every(90, 40),
    keys: [60, 240],
    wrongFeed: [100],
    wrongRows: [130],
    fullDisk: [150],
    lostMachine: [180],
    restoredState: [210],
  },
  isChecked: (night) => night % 14 === 0,
};

/** The same in a week around the leap day. */
export const SHORT: Plan = {
  firstDay: "2028-02-25",
  nights: 6,
  observations: 2900,
  events: {
    subscription: [1],
    review: [2],
    optOut: [3],
    redaction: [4],
    keys: [2],
    wrongFeed: [],
    wrongRows: [2],
    fullDisk: [4],
    lostMachine: [5],
    restoredState: [6],
  },
  isChecked: (night) => night === 3,
};
