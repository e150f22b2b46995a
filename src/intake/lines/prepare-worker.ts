/** The thread behind `prepareInThread`: each request has the present time, and its answer is the next batch. */
import { createReadStream } from "node:fs";
import { workerData } from "node:worker_threads";
import { answerRequests, purposeKeyFrom } from "../answering-thread.ts";
import { type PackedBatch, prepare, ThreadTask } from "./prepare.ts";
import { intakeHashes, packLinesToAccept } from "./sighting.ts";

const { fd, keys, ...task } = ThreadTask.parse(workerData);
let instant = 0;
const source = createReadStream("", { fd, autoClose: false, highWaterMark: 4 << 20 });
const batches = prepare(source, {
  ...task,
  hashes: intakeHashes(purposeKeyFrom(keys)),
  now: () => instant,
});

answerRequests(
  async (now: number): Promise<PackedBatch | undefined> => {
    instant = now;
    const { done, value } = await batches.next();
    return done === true ? undefined : { ...value, sightings: packLinesToAccept(value.sightings) };
  },
  () => batches.return(undefined),
);
