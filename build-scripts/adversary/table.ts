/** The table as text for a terminal and as Markdown for the methodology. */

import type { AdversaryLine } from "./run.ts";

const HEAD = ["attack", "must hold", "runs", "measured", "holds"];

export function textTable(lines: readonly AdversaryLine[]): string {
  const rows = [HEAD, ...lines.map(cellsOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function markdownTable(lines: readonly AdversaryLine[]): string {
  return [HEAD, HEAD.map(() => "---"), ...lines.map(cellsOf)]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

function cellsOf({ attack, bound, runs, measured, holds }: AdversaryLine): string[] {
  return [attack, bound, String(runs), measured, holds === null ? "-" : holds ? "yes" : "NO"];
}
