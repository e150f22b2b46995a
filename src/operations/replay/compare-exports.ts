import { CHANGES_CSV, CHANGES_JSON } from "../../build/changes/known-releases.ts";
import { CHECKSUMS, checksums, EXPORTS } from "../../build/stages/exports.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Comparison } from "./comparison.ts";

/** Files that can be reproduced byte for byte. Coverage has columns that cannot: its CSV is compared value by value. */
const REPLAYABLE = PARQUET_EXPORTS.filter(({ name }) => name !== "city-coverage-parquet");
/** The change files also depend on another release. */
const LEFT_OUT = [
  ...PARQUET_EXPORTS.filter((file) => !REPLAYABLE.includes(file)).map(({ path }) => EXPORTS + path),
  CHANGES_JSON,
  CHANGES_CSV,
];

/** Compares the bulk files that no route serves. Returns their paths. */
export function compareExports(
  files: Readonly<Record<string, string>>,
  snapshot: Snapshot,
  comparison: Comparison,
  findings: Findings,
): string[] {
  const expected = new Map(REPLAYABLE.map(({ path, bytes }) => [EXPORTS + path, sha256Hex(bytes(snapshot))]));
  expected.set(CHECKSUMS, sha256Hex(checksums(Object.entries(files).filter(([path]) => path !== CHECKSUMS))));
  for (const [path, hash] of expected)
    if (files[path] !== hash) findings.fault(path, "its bytes differ from those computed from the ledger");
  for (const path of LEFT_OUT) comparison.leaveOut(path);
  return [...expected.keys(), ...LEFT_OUT];
}
