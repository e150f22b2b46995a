/**
 * What the night remembers: of sizes, and when the disk will be full; and which share of the ledger's rows is checked next, so that all have
 * their turn within a month.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "../kernel/errors.ts";
import { freeBytes, replaceFile } from "../kernel/files/durable-file.ts";
import type { Home } from "../kernel/home.ts";
import { DAY_MS, isoTime, SECOND_MS, utcDayStart } from "../kernel/time.ts";
import type { LedgerReader } from "../ledger/reader.ts";

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

const NIGHTS = 30;
/** Fewer take a few seconds: a ledger of so many rows is checked whole each time. */
const MIN_ROWS = 100_000;
const MAX_MS = 60 * SECOND_MS;
const FILE_MODE = 0o644;

const Progress = z.object({ checked_to: z.int().min(0) });

export interface CheckedShare {
  readonly after: number;
  readonly checkedTo: number;
  readonly sealedRows: number;
}

/** Checks the share that is next, and stops at a checkpoint after a minute. Throws OperatorError naming a row that was changed. */
export function checkNextShare(
  reader: LedgerReader,
  home: Pick<Home, "ledgerCheck">,
  elapsed: () => number = () => performance.now(),
): CheckedShare {
  const sealedRows = reader.latestCheckpoint()?.size ?? 0;
  const checked = checkedTo(home);
  const after = sealedRows <= MIN_ROWS || checked >= sealedRows ? 0 : checked;
  const startedAt = elapsed();
  const isLate = () => elapsed() - startedAt > MAX_MS;
  const rows = Math.max(MIN_ROWS, Math.ceil(sealedRows / NIGHTS));
  return { after, checkedTo: reader.checkRows({ after, rows, isLate }), sealedRows };
}

/** The next share begins where this one ended. */
export function keepCheckedShare(home: Pick<Home, "ledgerCheck">, { checkedTo }: CheckedShare): void {
  replaceFile(home.ledgerCheck, `${JSON.stringify({ checked_to: checkedTo })}\n`, FILE_MODE);
}

/** Zero when the file is missing or not what was written: then it begins anew. */
function checkedTo({ ledgerCheck }: Pick<Home, "ledgerCheck">): number {
  try {
    return Progress.safeParse(JSON.parse(readFileSync(ledgerCheck, "utf8"))).data?.checked_to ?? 0;
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}
