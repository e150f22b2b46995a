/** Loading a server with wrk: the server on one core, the load on another where there are two. */

import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import type { BenchLine } from "./table.ts";

export const ROUND_SECONDS = 3;
const CONNECTIONS = 64;

/** One round: requests/s. Throws when an answer was not a success. */
export async function wrkRate(url: string, ...options: string[]): Promise<number> {
  const load = ["-t1", `-c${CONNECTIONS}`, `-d${ROUND_SECONDS}s`, "--timeout", "10s", ...options, url];
  const child = spawn(...pinned(1, "wrk", ...load), { stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  const errors = /(Socket errors|Non-2xx).*/.exec(output)?.[0];
  if (errors !== undefined) throw new Error(`${url}: ${errors}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}

export function pinned(
  core: number,
  program: string,
  ...rest: string[]
): [program: string, options: string[]] {
  if (availableParallelism() < 2 || !isInstalled("taskset")) return [program, rest];
  return ["taskset", ["-c", String(core), program, ...rest]];
}

export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

/** The figure of a line that counts requests. */
export function requestRate(value: number): Pick<BenchLine, "figure" | "measured"> {
  return { figure: perSecond(value), measured: { value, unit: "requests/s", better: "more" } };
}

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en-US")} requests/s`;
}

/** The middle value; the mean of the two middle ones of an even number, and 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (low + (sorted[Math.floor(sorted.length / 2)] ?? low)) / 2;
}
