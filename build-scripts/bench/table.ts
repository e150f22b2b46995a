import { lstatSync, type Stats } from "node:fs";
import { z } from "zod";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";

/** A figure as a number. Absent where nothing was measured, and in the lines of commits that printed texts alone. */
const Measured = z.object({
  value: z.number(),
  unit: z.string(),
  better: z.enum(["more", "less"]),
});
export type Measured = z.infer<typeof Measured>;

/** A line of the bench's table: a figure and its limit, both measured in the same run. */
export const BenchLine = z.object({
  name: z.string(),
  figure: z.string(),
  limit: z.string(),
  ratio: z.string(),
  measured: Measured.optional(),
});
export type BenchLine = Readonly<z.infer<typeof BenchLine>>;

/** A line without a figure, because the machine lacks something. */
export function notMeasured(name: string, reason: string): BenchLine {
  return { name, figure: "not measured", limit: reason, ratio: "-" };
}

const HEADER = { name: "what", figure: "figure", limit: "limit", ratio: "ratio" };

/** The lines in columns. */
export function benchTable(lines: readonly BenchLine[]): string {
  const all = [HEADER, ...lines];
  const width = (key: keyof typeof HEADER) => Math.max(...all.map((line) => line[key].length));
  const [name, figure, limit] = [width("name"), width("figure"), width("limit")];
  return all
    .map(
      (line) =>
        `${line.name.padEnd(name)}  ${line.figure.padStart(figure)}  ${line.limit.padStart(limit)}  ${line.ratio}\n`,
    )
    .join("");
}

/** `12,345 rows/s of 45,678 rows/s, 0.27`: a speed and the speed of the bare work. */
export function speedLine(name: string, unit: string, figure: number, limit: number, wanted = ""): BenchLine {
  const speed = (value: number) => `${Math.round(value).toLocaleString("en-US")} ${unit}`;
  const ratio = (figure / limit).toFixed(2);
  return {
    name,
    figure: speed(figure),
    limit: speed(limit),
    ratio: wanted === "" ? ratio : `${ratio} (${wanted})`,
    measured: { value: figure, unit, better: "more" },
  };
}

/** An amount and its maximum. */
export function boundLine(name: string, unit: string, figure: number, most: number): BenchLine {
  const digits = most < 100 ? 2 : 0;
  return {
    name,
    figure: `${figure.toFixed(digits)} ${unit}`,
    limit: `at most ${most} ${unit}`,
    ratio: (figure / most).toFixed(2),
    measured: { value: figure, unit, better: "less" },
  };
}

/** An amount that has no limit. */
export function amountLine(name: string, unit: string, amount: number): BenchLine {
  return {
    name,
    figure: `${Math.round(amount).toLocaleString("en-US")} ${unit}`,
    limit: "-",
    ratio: "-",
    measured: { value: amount, unit, better: "less" },
  };
}

const BLOCK = 512; // the unit of `blocks`, whatever the file system's

/** Number of files below a folder and what they take on the disk. */
export function sizeOf(folder: string, isCounted: (stats: Stats) => boolean = () => true) {
  let [files, bytes] = [0, 0];
  for (const path of filesBelow(folder)) {
    const stats = lstatSync(path);
    if (!isCounted(stats)) continue;
    files += 1;
    bytes += stats.blocks * BLOCK;
  }
  return { files, megabytes: bytes / 1e6 };
}
