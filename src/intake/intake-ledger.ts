import type { LedgerWriter } from "../ledger/writer.ts";

/** What accepting lines and taking them in needs of the ledger; a test puts a store with faults behind it. */
export type IntakeLedger = Pick<
  LedgerWriter,
  | "path"
  | "meta"
  | "purposeKey"
  | "intake"
  | "dryRunIntake"
  | "pending"
  | "pendingOrder"
  | "batches"
  | "sources"
  | "live"
  | "now"
  | "nextId"
  | "transaction"
  | "transactionDated"
  | "append"
>;
