/** What the files of one bundle of rows say by themselves. Nothing in it depends on another bundle, so threads may do it. */

import { sha256Hex } from "../../kernel/hash.ts";
import { leafHash } from "../../kernel/merkle-hash.ts";
import { rootOfTile } from "../../ledger/tree/tile-edge.ts";
import { HASH_BYTES, TILE_WIDTH } from "../tlog/tile.ts";
import { BundleRows, type BundleRowsFound } from "./bundle-rows.ts";
import { type BundleFiles, type BundlePlace, disclosuresOf, entriesOf, pathsOfBundle } from "./bundles.ts";
import { bodyOf } from "./file-audit.ts";
import { Findings, type Found } from "./findings.ts";

/** A bundle to check. */
export interface BundleTask extends BundlePlace {
  /** Numbers of its rows with which a tree was signed. */
  readonly signed: readonly number[];
  /** The hashes of its two files in the signed list, where the files are to be checked against it. */
  readonly listed?: { readonly entries?: string | undefined; readonly disclosures?: string | undefined };
  /** Whether the bodies of its rows are wanted, too. */
  readonly withBodies?: boolean;
}

/** Plain data. */
export interface AuditedBundle extends BundleRowsFound {
  readonly index: number;
  readonly leafHashes: Uint8Array; // of the leaves that are there, one behind the other
  readonly root: Uint8Array | undefined; // over them, if the bundle is full
  /** SHA-256 of the file of leaves as it must be with that many rows: for each signed number, and for a full bundle. */
  readonly entryHashes: ReadonlyMap<number, string>;
  readonly tree: Found;
  readonly files: Found; // against the signed list
}

export function auditBundle(task: BundleTask, files: BundleFiles): AuditedBundle {
  const findings = new Findings();
  const entries = entriesOf(task, files, findings);
  const rows = new BundleRows(disclosuresOf(task, files, findings), findings, task.withBodies === true);
  const leafHashes = Buffer.alloc(entries.length * HASH_BYTES);
  for (const [at, entry] of entries.entries()) {
    leafHash(entry).copy(leafHashes, at * HASH_BYTES);
    rows.add(task.index * TILE_WIDTH + at + 1, entry);
  }
  return {
    index: task.index,
    leafHashes,
    root: entries.length === TILE_WIDTH ? new Uint8Array(rootOfTile(leafHashes)) : undefined,
    entryHashes: entryHashes(task, files, entries),
    ...rows.found(),
    tree: findings.found(),
    files: auditAsFiles(task, files),
  };
}

/** A file of fewer leaves is the beginning of one of more. */
function entryHashes(
  { signed }: BundleTask,
  files: BundleFiles,
  entries: readonly Uint8Array[],
): Map<number, string> {
  const hashes = new Map<number, string>();
  for (const width of new Set([...signed, TILE_WIDTH])) {
    const last = entries[width - 1];
    if (last === undefined) continue;
    const bytes = files.entries();
    const end = last.byteOffset + last.length - bytes.byteOffset;
    hashes.set(width, sha256Hex(bytes.subarray(0, end)));
  }
  return hashes;
}

function auditAsFiles(task: BundleTask, files: BundleFiles): Found {
  const findings = new Findings();
  const paths = pathsOfBundle(task);
  for (const name of ["disclosures", "entries"] as const) {
    const sha256 = task.listed?.[name];
    if (sha256 === undefined) continue;
    findings.checked("files");
    findings.attemptNow(paths[name], () => bodyOf(files[name](), sha256));
  }
  return findings.found();
}
