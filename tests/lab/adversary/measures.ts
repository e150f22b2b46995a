/** What is measured of one run. */

import { DAY_MS } from "../../../src/kernel/time.ts";
import { ELIGIBLE, UNRAISED } from "./bounds.ts";
import { type Case, Court, END } from "./court.ts";
import type { Plot } from "./plot.ts";
import { ATTACK_FROM } from "./plot.ts";
import { START } from "./town.ts";

export interface Run {
  readonly plot: Plot;
  readonly case: Case;
  readonly court: Court; // at the end
  readonly before: Court; // the world without the attack
  readonly target: number;
}

export type Measure = (run: Run) => number;

/** 1 where an own record is eligible. */
export const measureEligible: Measure = ({ plot, court }) =>
  yes(plot.ownRecords.some((record) => court.isEligible(record)));

/** Whether an own record became eligible, and whether an earlier night had raised anything about it or its observers. */
export const measureEligibility: Measure = (run) => {
  const won = run.plot.ownRecords.filter((record) => run.court.isEligible(record));
  if (won.length === 0) return 0;
  return won.some((record) => !isRaisedFirst(run, record)) ? UNRAISED : ELIGIBLE;
};

export const measureUnraised: Measure = (run) => yes(measureEligibility(run) === UNRAISED);

/** 1 where the reviewers' list names an observer or a record of the attack. */
export const measureRaised: Measure = ({ plot, court }) =>
  yes(court.itemsAbout(observersOf(plot), plot.ownRecords).length > 0);

/** Rows of the attack that count. */
export const measureCounted: Measure = ({ court, case: { rows } }) =>
  rows.filter(({ row }) => court.counts(row)).length;

/** Points of pps by which the attack's own records lift the target, the attacker's ranked record. */
export const measureLift: Measure = ({ plot, court, case: played, target }) => {
  const own = new Set(plot.ownRecords);
  const without = new Court({ ...played, rows: played.rows.filter(({ record }) => !own.has(record)) });
  return liftOf(target, without, court);
};

/** Points by which the whole attack lifts it, the real records included that its puppets complete. */
export const measureWholeLift: Measure = ({ court, before, target }) => liftOf(target, before, court);

function liftOf(target: number, before: Court, after: Court): number {
  const [then, now] = [before, after].map((court) => court.standings().standings.get(target)?.pps ?? null);
  return typeof now === "number" && typeof then === "number" ? Math.max(0, now - then) : 0;
}

const ROUNDING = 1e-9;

/** 1 where the target is no longer ranked, or scores or ranks lower than before. */
export const measureHarm: Measure = ({ court, before, target }) => {
  const now = court.standings().standings.get(target);
  const then = before.standings().standings.get(target);
  if (!now || !then) throw new Error("the rival's record is gone");
  const isLower =
    (now.pps ?? 0) < (then.pps ?? 0) - ROUNDING || now.provisionalPps < then.provisionalPps - ROUNDING;
  return yes(now.rankingState !== "ranked" || isLower || (now.rank ?? 0) > (then.rank ?? 0));
};

function isRaisedFirst({ plot, case: played }: Run, record: number): boolean {
  const observers = observersOf(plot);
  for (let until = START + ATTACK_FROM * DAY_MS; until <= END; until += DAY_MS) {
    const court = new Court(played, until);
    if (court.isEligible(record)) return false;
    if (court.itemsAbout(observers, [record]).length > 0) return true;
  }
  return false;
}

function observersOf(plot: Plot): Set<string> {
  return new Set(plot.lines.map(({ observer }) => observer));
}

function yes(is: boolean): number {
  return is ? 1 : 0;
}
