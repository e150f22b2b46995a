import { expect, test } from "vitest";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { CHECKSUMS, checksums } from "../../build/stages/exports.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import { Comparison } from "./comparison.ts";
import { compareExports, tableHashes } from "./replay.ts";

const snapshot = fakeSnapshot();
const hashes = PARQUET_EXPORTS.map(
  ({ path, bytes }) => [`exports/${path}`, sha256Hex(bytes(snapshot))] as const,
);
const made = [...hashes, ...tableHashes(snapshot)];
const honest = { ...Object.fromEntries(made), [CHECKSUMS]: sha256Hex(checksums(made)) };

function faultsOf(files: Readonly<Record<string, string>>): string[] {
  const findings = new Findings();
  compareExports(files, snapshot, new Comparison(), findings);
  return findings.faults.map(({ subject }) => subject);
}

test("files that follow from the ledger have no fault", () => {
  expect(faultsOf(honest)).toEqual([]);
});

test("a changed one is named, and the list of hashes that is no longer theirs", () => {
  expect(faultsOf({ ...honest, "exports/explorer.parquet": "0" })).toEqual([
    "exports/explorer.parquet",
    CHECKSUMS,
  ]);
  const table = "exports/city/alpha/records.csv.gz";
  expect(faultsOf({ ...honest, [table]: "0" })).toEqual([CHECKSUMS, table]);
  expect(faultsOf({ ...honest, [CHECKSUMS]: "0" })).toEqual([CHECKSUMS]);
});

test("the list of hashes is in the form of sha256sum, by path, of that folder alone", () => {
  const list = checksums([
    ["exports/b.csv", "2"],
    ["index.html", "9"],
    ["exports/a.csv", "1"],
  ]);
  expect(list).toBe("1  a.csv\n2  b.csv\n");
});
