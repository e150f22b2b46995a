import type { LedgerReader } from "../../ledger/reader.ts";
import type { BuildEffects, EarlierSite } from "../effects.ts";

/** The parts of a ledger's publication in a release. */
export interface LedgerPublication {
  readonly reader: LedgerReader;
  readonly effects: BuildEffects;
  readonly earlier: EarlierSite | undefined;
  readonly treeSize: number;
  readonly asOf: number; // ms
}
