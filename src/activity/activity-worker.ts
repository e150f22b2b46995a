/**
 * A thread that writes what the server noted of its requests. It owns a connection to the state, opened with the first batch, and follows the
 * releases, whose cities tell which texts may be counted. Threads share one copy of SQLite, and with it the locks of the process.
 */

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { OperatorError } from "../kernel/errors.ts";
import { homePaths } from "../kernel/home.ts";
import { ReleaseStore } from "../resources/release-store.ts";
import { openState, type State } from "../state/open-state.ts";
import { ActivityTask } from "./activity-writer.ts";
import { internalNetworks, placesOf, requestRecord, type SeenRequest } from "./seen-request.ts";

const { stateUrl, home, internalAddresses } = ActivityTask.parse(workerData);
const releases = new ReleaseStore(homePaths(home));
const known = {
  isInternal: internalNetworks(internalAddresses),
  places: placesOf(() => releases.current?.context.snapshot),
};
let state: State | undefined;

/** On Linux this sets the calling thread alone: on a busy machine answers take precedence over counting. */
const LOW_PRIORITY = 10;
if (process.platform === "linux") setPriority(0, LOW_PRIORITY);

/** The server logs a release that cannot be read; the one before goes on telling the cities. */
function followReleases(): void {
  try {
    releases.refresh();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
  }
}

/** A state whose files were replaced is opened anew, and never made. */
async function openedState(): Promise<State> {
  if (state !== undefined && state.loss() === undefined) return state;
  await state?.close();
  return openState(stateUrl, homePaths(home), { mustExist: state !== undefined });
}

async function write(batch: readonly SeenRequest[]): Promise<{ fault?: string }> {
  try {
    followReleases();
    state = await openedState();
    await state.usage.record(batch.map((seen) => requestRecord(seen, known)));
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
  releases.close();
  parentPort?.close();
}

parentPort?.on("message", (message: readonly SeenRequest[] | "close") => void receive(message));
