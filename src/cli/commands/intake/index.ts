import type { CommandTable } from "../../command.ts";

export const intakeCommands: CommandTable = {
  gazetteer: ["search and replace the catalog of cities", () => import("./gazetteer.ts")],
  city: ["register cities and change their state", () => import("./city.ts")],
  ingest: [
    "add observations to the ledger: NDJSON, or CSV with --map; .gz as well; - is standard input",
    () => import("./ingest.ts"),
  ],
  model: [
    "allow and list the versions of recognition models that may be published",
    () => import("./model.ts"),
  ],
};
