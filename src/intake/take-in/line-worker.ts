/** The thread behind `LineThread`. It answers one request after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { systemRandom } from "../../kernel/ids.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { pooled } from "../../ledger/rows/row-log.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { registeredIn } from "../sources/line-sources.ts";
import { deriveLines, packLines } from "./derived-line.ts";
import { END, type LineAnswer, type LineRequest, LineThreadTask } from "./line-thread.ts";

const { path, keys } = LineThreadTask.parse(workerData);
const reader = openLedgerReader(path);
const order = reader.pendingOrder();
const derivation = { hashes: intakeHashes(purposeKey, registeredIn(reader)), random: pooled(systemRandom) };

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

function purposeKey(purpose: string): Buffer {
  const key = keys[purpose];
  if (key === undefined) throw new Error(`the thread was given no key for ${purpose}`);
  return Buffer.from(key);
}
