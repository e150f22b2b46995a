import { textTable } from "../../text-table.ts";
import type { Comparison } from "./verdict.ts";

const HEAD = ["what", "here", "there", "ratio"];

/** Both sides' figures with their ratio (1 is equal, less is worse), then the lines that one side alone has. */
export function comparisonTable({ lines, onlyHere, onlyThere }: Comparison, bound: number): string {
  const rows = lines.map(({ name, unit, here, there, ratio }) => [
    name,
    figure(here, unit),
    figure(there, unit),
    ratio === undefined ? "too small to compare" : `${ratio.toFixed(2)}${ratio < bound ? "  WORSE" : ""}`,
  ]);
  return [
    textTable([HEAD, ...rows]),
    ...onlyHere.map((name) => `only here: ${name}`),
    ...onlyThere.map((name) => `only there: ${name}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Three digits that count, and whole numbers above a hundred. */
function figure(value: number, unit: string): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 6 })} ${unit}`;
}
