import { writeSync } from "node:fs";

/** The code with which Node ends a program that waits for something that can come no more. */
const UNSETTLED = 13;

/** No command ends in the middle without a word: what it had not done yet was not done. */
export function tellUnfinished(): void {
  process.once("exit", (code) => {
    if (code !== UNSETTLED) return;
    writeSync(
      process.stderr.fd,
      "presence: the command stopped before it was done: it waited for an event that could no longer come. This is a defect of the program: report it, check with `presence doctor`, and run the command again\n",
    );
    process.exitCode = 1;
  });
}

/** Resolves when the process is asked to stop. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}
