import { basename } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { OperatorError } from "../../kernel/errors.ts";

export type ThreadOptions = Pick<WorkerOptions, "resourceLimits">;

/**
 * Runs `script` in a thread for each of `tasks`, which must be plain data. Passes each message to `take`, and sends back what it returns unless
 * undefined. When a thread fails, ends the others before it throws, so that none writes into a folder that is being removed.
 */
export async function runWorkers(
  script: URL,
  tasks: readonly unknown[],
  take: (message: unknown) => unknown,
  options: ThreadOptions & Pick<WorkerOptions, "name"> = {},
): Promise<void> {
  const { name = basename(script.pathname) } = options;
  const workers = tasks.map((workerData) => new Worker(script, { ...options, workerData }));
  try {
    await Promise.all(workers.map((worker) => ended(worker, name, take)));
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.terminate()));
    throw error;
  }
}

function ended(worker: Worker, name: string, take: (message: unknown) => unknown): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("message", (message: unknown) => {
    try {
      const answer = take(message);
      if (answer !== undefined) worker.postMessage(answer);
    } catch (error) {
      reject(error);
    }
  });
  worker.on("error", (error) => reject(asThrown(error)));
  worker.on("exit", (code) =>
    code === 0 ? resolve() : reject(new Error(`${name} ended with code ${code} in its thread`)),
  );
  return promise;
}

/** Restores the class of an OperatorError, which is lost between threads. */
function asThrown(error: unknown): unknown {
  return error instanceof Error && error.name === "OperatorError"
    ? new OperatorError(error.message, { cause: error })
    : error;
}
