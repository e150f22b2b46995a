/** Debian's libfaketime: processes that are started through `words` read their clock from one file, and follow it while they run. */
import { globSync, renameSync, writeFileSync } from "node:fs";
import { isoTime } from "../../../src/kernel/time.ts";

const library = (): string | undefined => globSync("/usr/lib/*/faketime/libfaketimeMT.so.1")[0];

export const hasMovedClock = (): boolean => library() !== undefined;

export class MovedClock {
  readonly #file: string;
  #ahead = 0; // ms before the machine's clock

  constructor(file: string) {
    this.#file = file;
    this.#write();
  }

  /** Words before a command, in a shell. The library must not be loaded before the user is changed: it shares a semaphore with children. */
  get words(): string {
    return [
      "env",
      `LD_PRELOAD=${library()}`,
      `FAKETIME_TIMESTAMP_FILE=${this.#file}`,
      "FAKETIME_CACHE_DURATION=1", // seconds until a running process sees a change
      "FAKETIME_DONT_FAKE_MONOTONIC=1",
      "NO_FAKE_STAT=1",
    ].join(" ");
  }

  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Throws when it would go back: what came before took longer than the time until then. */
  set(time: string): void {
    const ahead = Math.floor((Date.parse(time) - Date.now()) / 1000) * 1000;
    if (ahead < this.#ahead)
      throw new Error(`the clock would go back to ${time} from ${isoTime(this.now())}`);
    this.#ahead = ahead;
    this.#write();
  }

  /** Whole or not at all: processes read it at any moment. */
  #write(): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, `+${this.#ahead / 1000}\n`);
    renameSync(next, this.#file);
  }
}
