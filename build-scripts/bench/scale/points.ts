import { z } from "zod";
import type { BenchLine } from "../line.ts";

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
