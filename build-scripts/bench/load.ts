/** Loading a server with wrk: the server on one core, the load on another where there are two. */

import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";

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

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en-US")} requests/s`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
