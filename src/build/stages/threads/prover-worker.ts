import { parentPort, workerData } from "node:worker_threads";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { ProverTask, type RangeReport, RangeUnit } from "./prover-messages.ts";

/** A thread that proves rows: asks for work until there is none. */
const { ledgerPath, treeSize } = ProverTask.parse(workerData);
const reader = openLedgerReader(ledgerPath);
const prover = reader.rangeProver(treeSize);
const report = (message: RangeReport) => parentPort?.postMessage(message);

parentPort?.on("message", (raw) => {
  const work = RangeUnit.parse(raw);
  if (work === "end") end();
  else if (work.what === "rows") report({ unit: work.unit, rows: prover.rows(work) });
  else {
    const areTrusted = work.what === "trusted scouts";
    report({ unit: work.unit, scouts: prover.scouts(work, { areTrusted }) });
  }
});
for (const _ahead of [1, 2]) report({});

function end(): void {
  parentPort?.close();
  reader.close();
}
