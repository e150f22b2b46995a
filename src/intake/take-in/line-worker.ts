/** The thread behind `LineThread`. It answers one request after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { systemRandom } from "../../kernel/ids.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { pooled } from "../../ledger/rows/row-log.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { purposeKeyFrom } from "../lines/thread-messages.ts";
import { registeredIn } from "../sources/line-sources.ts";
import {
  deriveLines,
  END,
  type LineAnswer,
  type LineRequest,
  LineThreadTask,
  packLines,
} from "./line-thread.ts";

const { path, keys } = LineThreadTask.parse(workerData);
const reader = openLedgerReader(path);
const order = reader.pendingOrder();
const derivation = {
  hashes: intakeHashes(purposeKeyFrom(keys), registeredIn(reader)),
  random: pooled(systemRandom),
};

parentPort?.on("message", (request: LineRequest | typeof END) => {
  if (request !== END) {
    parentPort?.postMessage(answered(request));
    return;
  }
  reader.close();
  parentPort?.close();
});

function answered({ day, from, limit }: LineRequest): LineAnswer {
  try {
    return { pieces: packLines(deriveLines(order.read(day, { from, limit }), day, derivation)) };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
