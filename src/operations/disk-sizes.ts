/** What the night remembers of sizes, and when the disk will be full. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { freeBytes, replaceFile } from "../kernel/files/durable-file.ts";
import type { Home } from "../kernel/home.ts";
import { DAY_MS, isoTime, utcDayStart } from "../kernel/time.ts";

const Bytes = z.int().nonnegative();
const Sizes = z.object({
  at: z.iso.datetime(),
  free_bytes: Bytes, // on the disk of the home
  ledger_bytes: Bytes, // with its write-ahead log
  state_bytes: Bytes, // 0 with PostgreSQL
});
export type Sizes = z.infer<typeof Sizes>;

const MAX_NIGHTS = 60;
const MIN_NIGHTS = 7;
const MODE = 0o644;

export function currentSizes(home: Home, now: number, free: (path: string) => number): Sizes {
  return {
    at: isoTime(now),
    free_bytes: free(home.night),
    ledger_bytes: databaseSize(home.ledger),
    state_bytes: databaseSize(home.state),
  };
}

/** Adds the sizes of the present to the file, one entry a UTC day, for the last nights. */
export function noteSizes(home: Home, now: number): void {
  const others = readSizes(home).filter(({ at }) => utcDayStart(Date.parse(at)) !== utcDayStart(now));
  const all = [...others, currentSizes(home, now, freeBytes)].slice(-MAX_NIGHTS);
  replaceFile(home.sizes, `${JSON.stringify(all, null, 2)}\n`, MODE);
}

/** The nights' sizes, oldest first; none for a file that is missing or malformed, which the next night replaces. */
export function readSizes({ sizes }: Pick<Home, "sizes">): Sizes[] {
  if (!existsSync(sizes)) return [];
  try {
    return z.array(Sizes).safeParse(JSON.parse(readFileSync(sizes, "utf8"))).data ?? [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export interface Forecast {
  readonly bytesADay: number; // by which less is free
  readonly days: number; // until nothing is free
}

/**
 * When the disk is full if it fills as it did: the median of the changes between any two nights, so that one release more or less does
 * not count. Undefined before a week of nights, and while the disk does not fill.
 */
export function forecast(nights: readonly Sizes[], free: number): Forecast | undefined {
  if (nights.length < MIN_NIGHTS) return undefined;
  const points = nights.map(({ at, free_bytes }) => ({ day: Date.parse(at) / DAY_MS, free: free_bytes }));
  const slopes = points.flatMap((earlier, at) =>
    points.slice(at + 1).flatMap((later) => {
      const days = later.day - earlier.day;
      return days > 0 ? [(earlier.free - later.free) / days] : [];
    }),
  );
  const bytesADay = slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
  return bytesADay <= 0 ? undefined : { bytesADay, days: Math.floor(free / bytesADay) };
}

function databaseSize(path: string): number {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size(path) + size(`${path}-wal`);
}
