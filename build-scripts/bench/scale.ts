import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { isoDate } from "../../src/kernel/time.ts";
import type { BenchLine } from "./table.ts";

/** A bench line without the numbers in its name, and its figure. */
const Coefficient = z.strictObject({ line: z.string(), value: z.number(), unit: z.string() });

/** Everything that was measured with one number of observations. */
export const ScalePoint = z.strictObject({
  date: z.iso.date(),
  machine: z.string(),
  observations: z.int().positive(),
  records: z.int().positive(),
  coefficients: z.array(Coefficient),
});
export type ScalePoint = Readonly<z.infer<typeof ScalePoint>>;

/** `release of # rows, # records: time`: the same line at every size. */
export function lineKey(name: string): string {
  return name.replaceAll(/\d[\d,.]*/g, "#");
}

/** The coefficients among the lines of a bench: those with a number whose key is wanted. */
export function coefficients(
  lines: readonly BenchLine[],
  wanted: readonly string[],
): ScalePoint["coefficients"] {
  return lines.flatMap(({ name, measured }) => {
    const line = lineKey(name);
    if (measured === undefined || !wanted.includes(line)) return [];
    return [{ line, value: Number(measured.value.toPrecision(5)), unit: measured.unit }];
  });
}

/** The points with a new one in place of those of the same size, by size. */
export function withPoint(points: readonly ScalePoint[], point: ScalePoint): ScalePoint[] {
  const others = points.filter(({ observations }) => observations !== point.observations);
  return [...others, point].sort((a, b) => a.observations - b.observations);
}

/** What grows with the number of observations, and the bench line that measures it. */
export interface Cost {
  readonly what: string;
  readonly line: string;
  /** Whether the line is a speed, of which the cost is the time for all observations. */
  readonly isSpeed?: true;
}

export const COSTS: readonly Cost[] = [
  { what: "intake of all observations", line: "intake", isSpeed: true },
  { what: "release from nothing: time", line: "release of # rows, # records: time" },
  { what: "release from nothing: memory", line: "release of # rows, # records: memory of all its processes" },
  { what: "night, 1 % new: time", line: "night of # new rows: time" },
  { what: "night, 1 % new: memory", line: "night of # new rows: memory of all its processes" },
  { what: "night: files made, uploads to a store", line: "night of # new rows: files made" },
  { what: "night: bytes made", line: "night of # new rows: size of files made" },
  { what: "files of a release", line: "release of # rows, # records: files" },
  { what: "a release on the disk", line: "release of # rows, # records: size on disk" },
  { what: "the ledger on the disk", line: "ledger of # rows: size" },
  { what: "`presence verify`: time", line: "presence verify of # rows: time" },
  { what: "opt-out: patch release", line: "patch release after an opt-out, # files made, # linked" },
];

export interface Amount {
  readonly value: number;
  readonly unit: string;
  readonly isMeasured: boolean;
}

/**
 * A cost at a number of observations: as measured there, else projected from the two largest sizes measured, by the line through them;
 * from a single one in proportion. Undefined where nothing was measured.
 */
export function costAt(cost: Cost, points: readonly ScalePoint[], observations: number): Amount | undefined {
  const known = points.flatMap((point) => measuredCost(cost, point));
  const there = known.find((each) => each.observations === observations);
  if (there !== undefined) return { value: there.value, unit: there.unit, isMeasured: true };
  const [last, before] = known.toSorted((a, b) => b.observations - a.observations);
  if (last === undefined) return undefined;
  const from = before ?? { observations: 0, value: 0 };
  const slope = Math.max(0, (last.value - from.value) / (last.observations - from.observations));
  const value = Math.max(0, last.value + slope * (observations - last.observations));
  return { value, unit: last.unit, isMeasured: false };
}

function measuredCost({ line, isSpeed }: Cost, { observations, coefficients }: ScalePoint) {
  const found = coefficients.find((each) => each.line === line);
  if (found === undefined) return [];
  const { value, unit } = isSpeed ? { value: observations / found.value, unit: "s" } : found;
  return [{ observations, value, unit }];
}

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

/** `npm run bench -- --scale`: measures the coefficients of docs/scale.md anew and prints its tables. */

const COEFFICIENTS = join(import.meta.dirname, "coefficients.json");
const DOCUMENT = join(import.meta.dirname, "../../docs/scale.md");
const [BEGIN, END] = ["<!-- scale: npm run bench -- --scale -->\n", "<!-- /scale -->\n"];

export function keptPoints(): ScalePoint[] {
  return z.array(ScalePoint).parse(JSON.parse(readFileSync(COEFFICIENTS, "utf8")));
}

/** What the document shows between its marks. Throws when these are missing. */
export function shownTable(document = readFileSync(DOCUMENT, "utf8")): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("docs/scale.md: the marks of its table are missing");
  return document.slice(begin + BEGIN.length, end);
}

/** The point that a run of the bench has measured. */
export function measuredPoint(
  lines: readonly BenchLine[],
  world: { observations: number; records: number },
): ScalePoint {
  const { observations, records } = world;
  const wanted = COSTS.map(({ line }) => line);
  const date = isoDate(Date.now());
  return { date, machine: machine(), observations, records, coefficients: coefficients(lines, wanted) };
}

/** The tables with the new point. With `isKept` the coefficients and the document have it, too. */
export function scaleWith(point: ScalePoint, isKept: boolean): string {
  const points = withPoint(keptPoints(), point);
  const table = scaleTable(points);
  if (isKept) {
    writeFileSync(COEFFICIENTS, `${JSON.stringify(points, null, 2)}\n`);
    const document = readFileSync(DOCUMENT, "utf8");
    const shown = shownTable(document);
    writeFileSync(
      DOCUMENT,
      document.replace(shown, () => `\n${table}\n`),
    );
  }
  return table;
}

function machine(): string {
  const cores = cpus();
  return `${cores.length} cores (${cores[0]?.model.trim()}), ${Math.round(totalmem() / 1e9)} GB`;
}
