/** The table as text for a terminal and as Markdown for the methodology. */

import { textTable } from "../../../build-scripts/text-table.ts";

export interface AdversaryLine {
  readonly name: string;
  readonly attack: string;
  readonly bound: string;
  readonly runs: number;
  readonly measured: string;
  /** Null: stated for the record. */
  readonly holds: boolean | null;
}

const HEAD = ["attack", "must hold", "runs", "measured", "holds"];

export function adversaryTable(lines: readonly AdversaryLine[]): string {
  return textTable([HEAD, ...lines.map(cellsOf)]);
}

export function markdownTable(lines: readonly AdversaryLine[]): string {
  return [HEAD, HEAD.map(() => "---"), ...lines.map(cellsOf)]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

function cellsOf({ attack, bound, runs, measured, holds }: AdversaryLine): string[] {
  return [attack, bound, String(runs), measured, holds === null ? "-" : holds ? "yes" : "NO"];
}
