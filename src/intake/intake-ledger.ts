import type { LedgerWriter } from "../ledger/writer.ts";

/** What taking in lines needs of the ledger; a test puts a store with faults behind it. */
export type IntakeLedger = Pick<
  LedgerWriter,
  "meta" | "purposeKey" | "intake" | "dryRunIntake" | "live" | "now" | "nextId" | "transaction" | "append"
>;
