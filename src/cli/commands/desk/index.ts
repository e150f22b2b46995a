import type { CommandTable } from "../../command.ts";

export const deskCommands: CommandTable = {
  review: [
    "list, show and decide items that need a review; each decision is a ledger row",
    () => import("./review.ts"),
  ],
  record: ["change the status of a record; docs/states.md lists the moves", () => import("./record.ts")],
  report: ["list, show and resolve problem reports", () => import("./report.ts")],
  removal: [
    "list, show and decide owners' requests to remove a record; issue and enter their codes",
    () => import("./removal.ts"),
  ],
  identity: [
    "set or clear the reviewed brand, organizations and scope of a record",
    () => import("./identity.ts"),
  ],
  online: ["look up records on the public web", () => import("./online.ts")],
};
