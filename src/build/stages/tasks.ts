/** The tasks of the stages: in threads, or for a small release in the calling thread. */
import { basename } from "node:path";
import { z } from "zod";
import { runWorkers, type ThreadOptions } from "./worker.ts";

/** A module that does tasks of a stage. It closes what it opens, also when it fails: no thread may end after it. */
export interface TaskModule {
  /** Does one task, which is plain data, and sends messages on the way. Their order and number are the stage's own matter. */
  run(task: unknown, send: (message: unknown) => void): void | Promise<void>;
}

export const ThreadTask = z.object({ module: z.string(), task: z.unknown() });

/**
 * A release is small while a stage takes at most a few seconds in the calling thread: a thread takes half a second of a core to load
 * the program, and two threads would save less than that each. Rows and documents of this number need less memory than the program.
 * About 50 MB of the default catalogue of cities stay in the process, which a thread would free.
 */
const MAX_SMALL = { rows: 20_000, records: 500 };

/** Whether a release of this size is made in the calling thread. The number of records is unknown before the snapshot. */
export function isSmall({
  rows,
  records = 0,
}: {
  readonly rows: number;
  readonly records?: number;
}): boolean {
  return rows <= MAX_SMALL.rows && records <= MAX_SMALL.records;
}

interface TaskOptions extends ThreadOptions {
  readonly isSmall: boolean | undefined;
}

/** Runs `module` for each of `tasks`: here one after the other if they are small, otherwise in a thread each, as `runWorkers` does. */
export async function runTasks(
  module: URL,
  tasks: readonly unknown[],
  take: (message: unknown) => void,
  { isSmall, ...options }: TaskOptions,
): Promise<void> {
  if (isSmall === true) {
    const { run }: TaskModule = await import(module.href);
    for (const task of tasks) await run(task, take);
    return;
  }
  const script = new URL("./threads/task-thread.ts", import.meta.url);
  const inThreads = tasks.map((task) => ({ module: module.href, task }));
  await runWorkers(script, inThreads, take, { ...options, name: basename(module.pathname) });
}
