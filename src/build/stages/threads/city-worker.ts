import { parentPort, workerData } from "node:worker_threads";
import { SightingColumns } from "../../../snapshot/fold/sighting-columns.ts";
import { sharedMemory } from "../../../snapshot/fold/sighting-memory.ts";
import { cityRows } from "../../../snapshot/write/city-rows.ts";
import { type CityReport, CitySightings, CityUnit } from "./city-messages.ts";

/** A thread that computes the rows of cities: asks for work until there is none. */
const shared = CitySightings.parse(workerData);
const report = (message: CityReport) => parentPort?.postMessage(message);

parentPort?.on("message", (raw) => {
  const work = CityUnit.parse(raw);
  if (work === "end") {
    parentPort?.close();
    return;
  }
  const { unit, task, release } = work;
  // Anew for each city: what one has decoded is of no use to the next.
  const sightings = new SightingColumns(sharedMemory(shared));
  report({ unit, rows: cityRows({ ...task, sightings }, release) });
});
for (const _ahead of [1, 2]) report({});
