import type { BuiltTwice } from "./run.ts";
import type { TakenIn } from "./take-in.ts";

const HEADER = ["data set", "read", "accepted", "known", "held", "rejected", "records", "seconds", "rows/s"];

/** One line for each file, below it why lines were refused, and last a line on the release. */
export function realTable(taken: readonly TakenIn[], built: BuiltTwice): string {
  const rows = taken.map(cells);
  const widths = HEADER.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  const lines = taken.flatMap((one) => [line(cells(one)), ...reasons(one)]);
  return [line(HEADER), ...lines, "", releaseLine(built), ...outsideLines(built), ""].join("\n");
}

function cells({ name, summary, seconds }: TakenIn): string[] {
  const { read, accepted, known, held, rejected, records } = summary;
  const counts = [read, accepted, known, held, rejected, records].map(grouped);
  return [name, ...counts, seconds.toFixed(1), grouped(Math.round(read / seconds))];
}

function reasons({ summary }: TakenIn): string[] {
  return Object.entries(summary.rejectedByReason).map(
    ([reason, count]) => `    ${reason}: ${grouped(count)}`,
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

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
