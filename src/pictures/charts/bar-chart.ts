import { number } from "../../render/words/format.ts";
import type { NoPicture, Picture } from "../picture.ts";
import { bars } from "./bars.ts";

interface BarChartFacts {
  readonly id: string;
  readonly title: string; // description of the bars, without a full stop
  readonly unit: string; // column head of the values: `Observations`
  readonly rows: readonly BarRow[];
  /** Value of the whole width, such as 100 % for shares. Default: the largest value. */
  readonly whole?: number;
}

interface BarRow {
  readonly label: string;
  readonly value: number; // 0 or more
  readonly note?: string; // for the table
}

/** Draws horizontal bars from 0, in input order. Throws RangeError for an invalid length. */
export function barChart({ id, title, unit, rows, whole }: BarChartFacts): Picture | NoPicture {
  const wrong = rows.find(({ value }) => !(value >= 0 && value <= (whole ?? Number.MAX_VALUE)));
  if (wrong !== undefined) throw new RangeError(`${wrong.label}: ${wrong.value} cannot be drawn as a bar`);
  if (rows.length === 0) return { sentence: `${title}: no data.` };
  const full = whole ?? Math.max(...rows.map(({ value }) => value));
  const svg = bars(
    { id, title, description: `Horizontal bars from 0, ${unit}. The whole width stands for ${shown(full)}.` },
    rows.map(({ label, value }) => ({
      name: label,
      value: shown(value),
      length: full === 0 ? 0 : value / full,
      ...(whole === undefined ? {} : { track: 1 }),
    })),
  );
  return { svg, caption: `${title} (${unit}).`, legend: [], table: table(title, unit, rows) };
}

function table(title: string, unit: string, rows: readonly BarRow[]) {
  const hasNotes = rows.some(({ note }) => note !== undefined);
  const head = ["What", unit];
  return {
    caption: title,
    head: hasNotes ? [...head, "Note"] : head,
    rows: rows.map(({ label, value, note }) => (hasNotes ? [label, value, note ?? ""] : [label, value])),
  };
}

function shown(value: number): string {
  return Number.isInteger(value)
    ? number(value)
    : value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
