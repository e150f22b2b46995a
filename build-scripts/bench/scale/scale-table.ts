import { type Amount, COSTS, costAt } from "./cost.ts";
import type { ScalePoint } from "./points.ts";

const SIZES = [6, 7, 8, 9];

/** The tables of docs/scale.md as Markdown: what each number of observations costs, and where the figures come from. */
export function scaleTable(points: readonly ScalePoint[]): string {
  const head = ["what", ...SIZES.map((power) => `10^${power}`), "bench line"];
  const costs = COSTS.map((cost) => [
    cost.what,
    ...SIZES.map((power) => cell(costAt(cost, points, 10 ** power))),
    `\`${cost.line}\``,
  ]);
  const sources = points.map(({ observations, records, date, machine }) => [
    grouped(observations),
    grouped(records),
    date,
    machine,
  ]);
  return `${table(head, costs)}\n${table(["observations", "records", "measured on", "machine"], sources)}`;
}

function cell(amount: Amount | undefined): string {
  if (amount === undefined) return "not measured";
  return amount.isMeasured ? text(amount) : `projected ${text(amount)}`;
}

/** A time, a size or a count in the largest unit that leaves a whole number. */
function text({ value, unit }: Amount): string {
  if (unit === "s")
    return scaled(value, [
      [1, "s"],
      [60, "min"],
      [3600, "h"],
      [86_400, "days"],
    ]);
  if (unit === "MB")
    return scaled(value, [
      [1, "MB"],
      [1000, "GB"],
      [1_000_000, "TB"],
    ]);
  return scaled(value, [
    [1, ""],
    [1_000_000, "million"],
    [1_000_000_000, "billion"],
  ]);
}

/** The unit is the largest one of which there are at least two. */
function scaled(value: number, units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.findLast(([each]) => value >= 2 * each) ?? units[0] ?? [1, ""];
  const shown = value / size;
  const rounded = shown >= 100 ? Math.round(shown) : Number(shown.toPrecision(2));
  return `${grouped(rounded)} ${name}`.trimEnd();
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = `|${"---|".repeat(head.length)}\n`;
  return line(head) + rule + rows.map(line).join("");
}
