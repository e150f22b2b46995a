import { Worker } from "node:worker_threads";
import { OperatorError } from "../../src/kernel/errors.ts";

/**
 * Run a file of build-scripts in a thread of its own and hand each message to `take`. Its memory goes when it ends.
 * `data` must be plain, because it crosses threads.
 */
export function runWorker(file: string, data: unknown, take: (message: unknown) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(`../${file}`, import.meta.url), { workerData: data });
  worker.on("message", (message: unknown) => {
    try {
      take(message);
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
