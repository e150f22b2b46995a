import { existsSync, statSync } from "node:fs";

/** Bytes of a database with its write-ahead log; 0 where there is none. */
export function databaseBytes(path: string): number {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Seconds since a reading of `elapsed` (ms), in hundredths. */
export function secondsSince(started: number, elapsed: () => number): number {
  return Math.round((elapsed() - started) / 10) / 100;
}
