import { parentPort, workerData } from "node:worker_threads";
import { homePaths } from "../../kernel/home.ts";
import { buildSnapshot } from "../../snapshot/build.ts";
import { loadReference } from "../reference.ts";
import { type SnapshotMessage, SnapshotTask } from "./snapshot.ts";

const { home, ...task } = SnapshotTask.parse(workerData);
const send = (message: SnapshotMessage) => parentPort?.postMessage(message);

const summary = buildSnapshot({
  ...task,
  reference: loadReference(homePaths(home)),
  progress: (done, total) => send({ done, total }),
});
send({ summary });
