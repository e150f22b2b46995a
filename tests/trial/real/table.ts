import { grouped, table } from "../table.ts";
import type { BuiltTwice } from "./run.ts";
import type { TakenFile } from "./take-in.ts";

const HEADER = ["data set", "read", "accepted", "known", "rejected", "held", "records", "seconds", "rows/s"];

/** A line for each file, the reasons for which lines were rejected, and the figures of the release. */
export function realTable(taken: readonly TakenFile[], built: BuiltTwice): string {
  const lines = [releaseLine(built), ...outsideLines(built), ""];
  return [table(HEADER, taken.map(cells)), ...taken.flatMap(reasons), "", ...lines].join("\n");
}

function cells({ name, summary, taken, seconds }: TakenFile): (string | number)[] {
  const { read, accepted, known, rejected } = summary;
  const counts = [read, accepted, known, rejected, taken.held, taken.records];
  return [name, ...counts, seconds.toFixed(1), Math.round(read / seconds)];
}

function reasons({ name, summary }: TakenFile): string[] {
  return Object.entries(summary.rejectedByReason).map(
    ([reason, count]) => `${name}, rejected: ${reason} ${grouped(count)}`,
  );
}

function releaseLine({ release, files, documents }: BuiltTwice): string {
  return (
    `release: ${grouped(release.rows)} rows, ${grouped(release.observations)} observations, ${grouped(release.records)} records, ` +
    `${grouped(files)} files, ${release.seconds.toFixed(1)} s, ${grouped(release.peaks.treeMb)} MB; ` +
    `built twice; ${grouped(documents)} documents checked against openapi.json`
  );
}

function outsideLines({ outside }: BuiltTwice): string[] {
  const checked = Object.entries(outside.checked).map(([what, count]) => `${grouped(count)} ${what}`);
  return [
    `verified from a plain file server in ${outside.verifySeconds.toFixed(1)} s: ${checked.join(", ")}`,
    `replayed from it in ${outside.replaySeconds.toFixed(1)} s: ${grouped(outside.documents)} documents, ${grouped(outside.numbers)} numbers`,
  ];
}
