/** The thread behind `linesInThread`. It reads the ledger's file by itself, so only derived lines cross over. */
import { workerData } from "node:worker_threads";
import { systemRandom } from "../../kernel/ids.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { pooled } from "../../ledger/rows/row-log.ts";
import { answerRequests, purposeKeyFrom } from "../answering-thread.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { registeredIn } from "../sources/entry.ts";
import { deriveLines, type LineRequest, LineThreadTask, packLines } from "./line-thread.ts";

const { path, keys } = LineThreadTask.parse(workerData);
const reader = openLedgerReader(path);
const order = reader.pendingOrder();
const derivation = {
  hashes: intakeHashes(purposeKeyFrom(keys), registeredIn(reader)),
  random: pooled(systemRandom),
};

answerRequests(
  ({ day, ...chunk }: LineRequest) => {
    const pieces = packLines(deriveLines(order.read(day, chunk), day, derivation));
    return pieces.length === 0 ? undefined : pieces;
  },
  () => reader.close(),
);
