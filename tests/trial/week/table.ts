import { grouped, table } from "../table.ts";
import type { Night, WeekReport } from "./run.ts";

const HEADER = [
  ...["day", "lines", "new", "known", "held", "rejected", "decisions", "rows", "records"],
  ...["added", "changed", "merged", "removed", "night s", "verify s", "replay s", "faults"],
];

/** A line for each night, and below them the number of public ids of the week. */
export function weekTable({ nights, publicIds }: WeekReport): string {
  const ids = `${grouped(publicIds)} public ids, each of one record or asset all week`;
  return `${table(HEADER, nights.map(cells))}\n${ids}\n`;
}

function cells(night: Night): (string | number)[] {
  const { taken, held, changes, faults } = night;
  const seconds = [night.nightSeconds, night.verifySeconds, night.replaySeconds];
  return [
    ...[night.day, taken.read, taken.accepted, taken.known, held, taken.rejected],
    ...[night.decisions, night.rows, night.records],
    ...[changes.added, changes.changed, changes.merged, changes.removed],
    ...[...seconds.map((value) => value.toFixed(1)), faults.length],
  ];
}
