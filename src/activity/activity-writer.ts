import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { Log } from "../kernel/log.ts";
import { Secret } from "../kernel/secret.ts";
import type { ActivityWriter } from "./activity.ts";
import type { SeenRequest } from "./seen-request.ts";

/** Location of the state, and the addresses of this operator. */
export const ActivityTask = z.object({
  stateUrl: z
    .string()
    .transform((url) => new Secret(url))
    .optional(),
  home: z.string(),
  internalAddresses: z.array(z.string()),
});

/** The thread's answer to a batch, with the fault if there was one. */
export const ActivityReply = z.object({ fault: z.string().optional() });

interface WriterDeps {
  readonly task: z.input<typeof ActivityTask>; // with the URL as text: a Secret does not cross threads
  readonly log: Log;
}

/**
 * Writes in a separate thread, which also classifies clients and addresses: neither the database nor a hostile user agent can
 * delay an answer. The thread starts at once, and again after a failure.
 */
export class ThreadWriter implements ActivityWriter {
  readonly #deps: WriterDeps;
  #worker: Worker | undefined;
  #lastFault: string | undefined;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    this.#worker = this.#start();
  }

  async write(batch: readonly SeenRequest[]): Promise<boolean> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref(); // the process stays until it has answered
    const fault = await answerOf(worker, batch);
    worker.unref();
    if (fault !== undefined && fault !== this.#lastFault)
      this.#deps.log.error("activity_not_written", { fault });
    this.#lastFault = fault;
    return fault === undefined;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, "exit");
    worker.ref();
    worker.postMessage("close");
    await exited;
  }

  #start(): Worker {
    const worker = new Worker(new URL("./activity-worker.ts", import.meta.url), {
      workerData: this.#deps.task,
      // Its descriptor of the state must outlive it: closing one drops the locks of the whole process (`headerVersion` of the state).
      trackUnmanagedFds: false,
    });
    worker.on("exit", () => {
      this.#worker = undefined;
    });
    worker.on("error", (error) => this.#deps.log.error("activity_thread_failed", { fault: error.message }));
    worker.unref();
    return worker;
  }
}

/** The fault of a batch, or undefined. */
async function answerOf(worker: Worker, batch: readonly SeenRequest[]): Promise<string | undefined> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const answered = once(worker, "message", { signal }); // rejects with the error of a thread that breaks
    const exited = once(worker, "exit", { signal }).then(() => [{ fault: "the thread ended" }]);
    exited.catch(() => undefined);
    worker.postMessage(batch);
    const [reply] = await Promise.race([answered, exited]);
    return ActivityReply.parse(reply).fault;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    ended.abort();
  }
}
