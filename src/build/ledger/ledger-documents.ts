import { keysDocument } from "../../ledger/keys/key-ring.ts";
import { publishedCheckLine } from "../../ledger/outside-tree.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { ledgerRedactions } from "../../ledger/redaction-counts.ts";
import type { Checkpoint } from "../../ledger/tree/checkpoints.ts";
import type { BuildEffects, EarlierSite } from "../effects.ts";

/** Writes the files next to the tiles: checkpoints, keys, checks and counts. The newest checkpoint is written last, because it covers the rest. */
export function writeLedgerDocuments(
  { reader, effects, treeSize, asOf }: LedgerPublication,
  signed: readonly Checkpoint[],
  sealed: number,
): void {
  const { origin, environment } = reader.meta;
  const ring = reader.keyRing();
  for (const { size, note } of signed) {
    const path = `ledger/checkpoints/${size}`;
    if (!effects.hashes.has(path)) effects.write(path, note);
  }
  effects.write("ledger/vkey", `${ring.at(treeSize).vkey}\n`);
  const keys = keysDocument(origin, environment, ring, reader.manifestKeys());
  effects.write("ledger/keys.json", `${JSON.stringify(keys)}\n`);
  for (const { size, status, token } of reader.externalProofs(asOf))
    if (status === "verified" && token !== null && size <= treeSize)
      effects.write(`ledger/timestamps/${size}.tsr`, token);
  effects.write("ledger/redactions.json", `${JSON.stringify(ledgerRedactions(reader, treeSize, asOf))}\n`);
  const checks = reader.publishedOnlineChecks(asOf, sealed);
  effects.write("ledger/online-checks.ndjson", Array.from(checks, publishedCheckLine).join(""));
  effects.write("ledger/checkpoint", signed.at(-1)?.note ?? "");
}

/** The parts of a ledger's publication in a release. */
export interface LedgerPublication {
  readonly reader: LedgerReader;
  readonly effects: BuildEffects;
  readonly earlier: EarlierSite | undefined;
  readonly treeSize: number;
  readonly asOf: number; // ms
}
