import { parentPort, workerData } from "node:worker_threads";
import { type AuditReport, type AuditUnit, unitAuditor } from "./audit-threads.ts";

/** A thread of `presence verify`: asks for work until there is none. */
const audited = unitAuditor(String(workerData.site));
const report = (message: AuditReport) => parentPort?.postMessage(message);

async function work(unit: AuditUnit): Promise<void> {
  if (unit === "end") parentPort?.close();
  else report(await audited(unit));
}

// One unit after the other, although the next one is here already.
let last = Promise.resolve();
parentPort?.on("message", (unit: AuditUnit) => {
  last = last.then(() => work(unit));
});
for (const _ahead of [1, 2]) report({ done: 0 });
