/** `npm run bench -- --scale`: measures the coefficients of docs/scale.md anew and prints its tables. */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { isoDate } from "../../../src/kernel/time.ts";
import type { BenchLine } from "../line.ts";
import { COSTS } from "./cost.ts";
import { coefficients, ScalePoint, withPoint } from "./points.ts";
import { scaleTable } from "./scale-table.ts";

const COEFFICIENTS = join(import.meta.dirname, "coefficients.json");
const DOCUMENT = join(import.meta.dirname, "../../../docs/scale.md");
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
