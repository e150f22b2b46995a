import { parentPort, workerData } from "node:worker_threads";
import { OperatorError } from "../../kernel/errors.ts";
import { prepare } from "./prepare.ts";
import { type Piece, type Report, ThreadTask } from "./prepare-in-thread.ts";
import { intakeHashes, packLinesToAccept } from "./sighting.ts";
import { purposeKeyFrom } from "./thread-messages.ts";

/** The thread behind `prepareInThread`. It owns the pieces of input that have come and are not read yet. */
const { map, batchLines, encoding, keys } = ThreadTask.parse(workerData);
const pieces: Piece[] = [];
let now = 0;
let wake: () => void = () => undefined;

parentPort?.on("message", (piece: Piece) => {
  pieces.push(piece);
  wake();
});

function send(report: Report): void {
  parentPort?.postMessage(report);
}

async function* input(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = pieces.shift();
    if (piece === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    } else if ("chunk" in piece) {
      now = piece.now;
      send({ taken: piece.chunk.length });
      yield piece.chunk;
    } else if ("failure" in piece) throw new Error(piece.failure);
    else return;
  }
}

try {
  const preparation = {
    map,
    batchLines,
    encoding,
    hashes: intakeHashes(purposeKeyFrom(keys)),
    now: () => now,
  };
  for await (const batch of prepare(input(), preparation))
    send({ batch: { ...batch, sightings: packLinesToAccept(batch.sightings) } });
  send({ done: true });
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  send({ failed: text, forOperator: error instanceof OperatorError });
}
parentPort?.close();
