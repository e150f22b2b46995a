/** Whether work of this thread grows in proportion to its input, however slow or busy the machine is: its CPU time is measured. */

import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";

const FACTOR = 8;
/** Work in proportion takes 8 times as long for 8 times the input, quadratic work 64 times. */
const MAX_GROWTH = 28;
/** Less than this is noise of the machine. */
const NOISE_MS = 0.5;
/** Too short to compare where the clock of a thread counts in steps of 4 ms or more. The faults that this looks for took 240 ms and more. */
const HARMLESS_MS = 60;
const TRIES = 5;

/** Text of a length that repeats a unit. */
export function filled(unit: string): (length: number) => string {
  return (length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/**
 * Fails when work for `size` takes far more than eight times as long as for an eighth of it, both without what the work
 * takes for next to nothing. The shortest of several times counts: other load only ever adds. Work that throws is work, too.
 */
export async function expectProportional<T>(
  make: (size: number) => T,
  size: number,
  work: (input: T) => unknown,
): Promise<void> {
  const inputs = [FACTOR * FACTOR, FACTOR, 1].map((part) => make(Math.floor(size / part)));
  for (const input of inputs.slice(0, 2)) await timeOf(work, input); // loads and compiles
  const shortest = inputs.map(() => Number.POSITIVE_INFINITY);
  for (let tries = 1; ; tries += 1) {
    for (const [index, input] of inputs.entries())
      shortest[index] = Math.min(shortest[index] ?? 0, await timeOf(work, input));
    const [base = 0, eighth = 0, whole = 0] = shortest;
    const allowed = HARMLESS_MS + MAX_GROWTH * (Math.max(0, eighth - base) + NOISE_MS / FACTOR);
    if (whole - base < allowed) return;
    if (tries === TRIES) expect(whole - base, `ms, ${eighth - base} ms for an eighth`).toBeLessThan(allowed);
  }
}

async function timeOf<T>(work: (input: T) => unknown, input: T): Promise<number> {
  await turn();
  const start = process.threadCpuUsage();
  try {
    await work(input);
  } catch {
    // a refusal
  }
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
