import type { BenchLine, Measured } from "../line.ts";

/** A figure that can be compared, and the smallest difference that its source shows. */
export interface Reading extends Measured {
  readonly step: number; // 0 where the figure is a number
}

const TEXT = /^([\d,]+(?:\.(\d+))?) (\S.*)$/;

/** The figure of a line; commits before `measured` printed it as text only. Undefined where nothing was measured. */
export function readingOf({ figure, measured }: BenchLine): Reading | undefined {
  if (measured !== undefined) return { ...measured, step: 0 };
  const [, digits, decimals = "", unit] = TEXT.exec(figure) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const value = Number(digits.replaceAll(",", ""));
  return { value, unit, better: unit.endsWith("/s") ? "more" : "less", step: 10 ** -decimals.length };
}
