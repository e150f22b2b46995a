import type { Night, WeekReport } from "./run.ts";

const HEADER = [
  ...["day", "lines", "new", "known", "held", "rejected", "decisions", "rows", "records"],
  ...["added", "changed", "merged", "removed", "night s", "verify s", "replay s", "faults"],
];

/** A line for each night, and below it what went through them together. */
export function weekTable({ nights, publicIds }: WeekReport): string {
  const rows = [HEADER, ...nights.map(cells)];
  const widths = HEADER.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join("  "));
  return [...lines, "", `${grouped(publicIds)} public ids, each of one record or asset all week`, ""].join(
    "\n",
  );
}

function cells(night: Night): string[] {
  const { taken, changes, faults } = night;
  const counts = [
    ...[night.day, taken.read, taken.accepted, taken.known, taken.held, taken.rejected],
    ...[night.decisions, night.rows, night.records],
    ...[changes.added, changes.changed, changes.merged, changes.removed],
  ];
  const seconds = [night.nightSeconds, night.verifySeconds, night.replaySeconds];
  return [...counts.map(grouped), ...seconds.map((value) => value.toFixed(1)), String(faults.length)];
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
