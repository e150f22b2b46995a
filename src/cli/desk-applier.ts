/** Where one user has all, no unit watches the desk's folder of decisions: the desk starts the command that takes them, in a process of its own. */
import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { deskPaths, type Home } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { SECOND_MS } from "../kernel/time.ts";

const LOOK_MS = SECOND_MS;
const AFTER_FAILURE_MS = 60 * SECOND_MS;

/** Whether the desk's folder is that of the ledger's owner. */
export function isOneUsers(home: Home): boolean {
  const owner = statSync(home.night, { throwIfNoEntry: false })?.uid;
  return owner === statSync(deskPaths(home).own).uid;
}

/** Looks every second; one command at a time. Dispose ends the looking, not a command that runs. */
export class DeskApplier implements Disposable {
  readonly #program: readonly string[];
  readonly #folder: string;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #isRunning = false;
  #notBefore = 0;

  /** `project` is the folder of the sources. */
  constructor(project: string, home: Home, log: Log) {
    this.#program = [join(project, "src/cli/cli.ts"), "desk", "apply"];
    this.#folder = deskPaths(home).decisions;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  #look(): void {
    const isDue = !this.#isRunning && performance.now() >= this.#notBefore;
    if (!isDue || readdirSync(this.#folder).every((name) => name.startsWith("."))) return;
    this.#isRunning = true;
    execFile(process.execPath, [...this.#program], (error, _stdout, stderr) => {
      this.#isRunning = false;
      if (error === null) return;
      this.#notBefore = performance.now() + AFTER_FAILURE_MS;
      this.#log.error("decisions_not_taken", {
        fault: stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "",
      });
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
