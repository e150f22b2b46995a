import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { Log } from "../kernel/log.ts";
import { Secret } from "../kernel/secret.ts";
import type { ActivityWriter } from "./activity.ts";
import type { SeenRequest } from "./seen-request.ts";

/** Where the thread finds the state, and which addresses are our own. */
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
 * Writes through a thread of its own, which also tells clients and addresses apart: neither the database nor a hostile user agent can hold
 * up an answer. The thread is started at once, so that a server that stops soon need not wait for it, and again after it broke.
 */
export class ThreadWriter implements ActivityWriter {
  readonly #deps: WriterDeps;
  #worker: Worker | undefined;

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
    if (fault !== undefined) this.#deps.log.error("activity_not_written", { fault });
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
