import { type ResourceLimits, Worker } from "node:worker_threads";
import { OperatorError } from "../../src/kernel/errors.ts";

/**
 * Run a file of build-scripts in a thread of its own and hand each message to `take`. What `take` returns, unless undefined, is
 * sent back. The thread's memory goes when it ends.
 * `data` must be plain, because it crosses threads.
 */
export function runWorker(
  file: string,
  data: unknown,
  take: (message: unknown) => unknown,
  resourceLimits: ResourceLimits = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(`../${file}`, import.meta.url), {
    workerData: data,
    resourceLimits,
  });
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
    code === 0 ? resolve() : reject(new Error(`${file} ended with code ${code} in its thread`)),
  );
  return promise;
}

/** An error that crosses threads keeps its name, and loses its class. */
function asThrown(error: unknown): unknown {
  return error instanceof Error && error.name === "OperatorError"
    ? new OperatorError(error.message, { cause: error })
    : error;
}
