import type { CommandTable } from "../../command.ts";

export const ledgerCommands: CommandTable = {
  init: ["create an empty ledger and its keys", () => import("./init.ts")],
  seal: [
    "seal finished UTC days, sign a checkpoint and have it timestamped (TSA_URL)",
    () => import("./seal.ts"),
  ],
  redact: [
    "erase an observation, identity, status or review row and all that depends on it alone; in two steps",
    () => import("./redact.ts"),
  ],
  "opt-out": [
    "erase a record, or one of its assets or places, and refuse it at intake from now on; in two steps",
    () => import("./opt-out.ts"),
  ],
  key: ["rotate and list the keys that sign the ledger's checkpoints", () => import("./key.ts")],
  clock: [
    "compare the clock with others, and lead a ledger out of a wrong future",
    () => import("./clock.ts"),
  ],
  verify: [
    "verify everything that a release publishes: tree, signatures, history, seals, disclosures, files",
    () => import("./verify.ts"),
    "none",
  ],
  proof: [
    "print the inclusion proof of a ledger row (.tlog-proof), from public files alone",
    () => import("./proof.ts"),
    "none",
  ],
  disclose: [
    "print one private value of a row with its proof, for an auditor",
    () => import("./disclose.ts"),
  ],
  "check-disclosure": [
    "verify a disclosed value against the signed tree, as an auditor; needs nothing private",
    () => import("./check-disclosure.ts"),
    "none",
  ],
};
