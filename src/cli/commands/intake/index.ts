import type { CommandTable } from "../../command.ts";

export const intakeCommands: CommandTable = {
  gazetteer: ["search and replace the catalog of cities", () => import("./gazetteer.ts")],
  city: ["register cities and change their state", () => import("./city.ts")],
  ingest: [
    "add observations to the ledger: NDJSON, or CSV with --map; .gz as well; - is standard input",
    () => import("./ingest.ts"),
  ],
  batch: [
    "list and show ingested files; approve one that was held back, or undo one",
    () => import("./batch.ts"),
  ],
  source: [
    "register sources, suspend and withdraw them, give them earlier rows",
    () => import("./source.ts"),
  ],
  observer: ["say who controls observers; link, suspend and erase them", () => import("./observer.ts")],
  affiliation: ["say which principals run which records", () => import("./affiliation.ts")],
  revisit: [
    "measure what is listed against what is there: draw a plan for scouts, take what they found",
    () => import("./revisit.ts"),
  ],
  model: [
    "allow and list the versions of recognition models that may be published",
    () => import("./model.ts"),
  ],
};
