import { parentPort } from "node:worker_threads";
import { factsOfTask } from "../../snapshot/fold/city-facts.ts";
import { cityRows } from "../../snapshot/write/city-rows.ts";
import { type CityReport, CityUnit } from "./city-messages.ts";

/** A thread that computes the rows of cities: asks for work until there is none. */
const report = (message: CityReport) => parentPort?.postMessage(message);

parentPort?.on("message", (raw) => {
  const work = CityUnit.parse(raw);
  if (work === "end") parentPort?.close();
  else report({ unit: work.unit, rows: cityRows(factsOfTask(work.task), work.release) });
});
for (const _ahead of [1, 2]) report({});
