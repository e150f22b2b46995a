import { parentPort, workerData } from "node:worker_threads";
import { type TaskModule, ThreadTask } from "../tasks.ts";

/** A thread that does one task of a stage; see tasks.ts. */

const { module, task } = ThreadTask.parse(workerData);
const { run }: TaskModule = await import(module);
await run(task, (message) => parentPort?.postMessage(message));
