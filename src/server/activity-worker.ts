import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { homePaths } from "../kernel/home.ts";
import { openState, type State } from "../state/open-state.ts";
import { ActivityTask } from "./activity-writer.ts";
import { internalNetworks, requestRecord, type SeenRequest } from "./seen-request.ts";

/** A thread that writes what the server noted of its requests. It owns a connection to the state, opened with the first batch. */

const { stateUrl, home, internalAddresses } = ActivityTask.parse(workerData);
const isInternal = internalNetworks(internalAddresses);
let state: State | undefined;

/** On Linux this is about the calling thread alone: when a core is all taken, answers go first, and counting takes what is left. */
const LOW_PRIORITY = 10;
if (process.platform === "linux") setPriority(0, LOW_PRIORITY);

async function write(batch: readonly SeenRequest[]): Promise<{ fault?: string }> {
  try {
    state ??= await openState(stateUrl, homePaths(home));
    await state.usage.record(batch.map((seen) => requestRecord(seen, isInternal)));
    return {};
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function receive(message: readonly SeenRequest[] | "close"): Promise<void> {
  if (message !== "close") {
    parentPort?.postMessage(await write(message));
    return;
  }
  await state?.close();
  parentPort?.close();
}

parentPort?.on("message", (message: readonly SeenRequest[] | "close") => void receive(message));
