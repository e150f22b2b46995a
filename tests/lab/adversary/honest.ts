/** What the checks do to the honest observers of untouched towns, and whether each has come to count. */

import type { CheckCode } from "../../../src/independence/trace.ts";
import { atMost, type Bound, stated } from "./bounds.ts";
import { GATES } from "./fleet.ts";
import type { Stage } from "./play.ts";

export interface HonestLine {
  readonly name: string;
  readonly title: string;
  readonly bound: Bound;
  readonly measure: (stage: Stage) => number; // share of 1
}

/** Standing that an observer has yet to earn says nothing against its rows. */
const NO_CHECK: CheckCode = "not_established";
const MIN_ROWS = 50; // of an observer who could have earned standing

export const HONEST_LINES: readonly HonestLine[] = [
  {
    name: "honest",
    title: "honest observers of the simulated fleet",
    bound: atMost(0.005, "rows set aside by checks"),
    measure: (stage) => shareSetAside(stage, (code) => code !== NO_CHECK),
  },
  {
    name: "honest-new",
    title: "the same observers, not established when they reported",
    bound: stated("rows that do not count"),
    measure: (stage) => shareSetAside(stage, (code) => code === NO_CHECK),
  },
  {
    name: "honest-established",
    title: `the same observers with ${MIN_ROWS} rows or more, those of vehicle gates aside`,
    bound: stated("established at the end"),
    measure: shareEstablished,
  },
  {
    name: "honest-raised",
    title: "the same observers",
    bound: stated("named on the reviewers' list"),
    measure: ({ world, before }) => {
      const named = new Set(before.judgement.items.flatMap(({ observers }) => observers));
      return world.observers.filter(({ id }) => named.has(id)).length / world.observers.length;
    },
  },
];

function shareSetAside({ before }: Stage, isMeant: (code: CheckCode) => boolean): number {
  const codes = before.rows.flatMap(({ row }) => before.checkOf(row) ?? []);
  return codes.filter(isMeant).length / before.rows.length;
}

function shareEstablished({ world, before }: Stage): number {
  const rows = Map.groupBy(before.rows, ({ observer }) => observer);
  const able = world.observers.filter(
    ({ id, source }) => source !== GATES && (rows.get(id)?.length ?? 0) >= MIN_ROWS,
  );
  return able.filter(({ id }) => before.judgement.established.has(id)).length / able.length;
}
