import type Database from "better-sqlite3";
import type { LedgerDisclosure } from "../contract/ledger/ledger.ts";
import { SCHEMA } from "../contract/versions.ts";
import { OperatorError } from "../kernel/errors.ts";
import { nodeHash } from "../kernel/merkle-hash.ts";
import { formatTlogProof, rootOfInclusion } from "../proof/tlog/proof.ts";
import type { LedgerMeta } from "./database/open-ledger.ts";
import { rowFields } from "./rows/private-values.ts";
import { changedRow } from "./rows/stored-rows.ts";
import type { Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { inclusionPath } from "./tree/merkle.ts";

export interface DisclosureRequest {
  readonly row: number;
  readonly field: string; // `body`, or the name of a private value
  readonly size?: number | undefined; // of a signed tree; the newest when not given
}

interface Ledger {
  readonly database: Database.Database;
  readonly meta: LedgerMeta;
  readonly checkpoints: Checkpoints;
}

/**
 * One value of one row with everything an auditor needs. Each part is verified first: the value's digest is in the leaf, the leaf
 * is in the tree, the tree's head is signed. Throws OperatorError for an unknown row, field or size, and for a changed ledger.
 */
export async function discloseField(
  { database, meta, checkpoints }: Ledger,
  { row, field, size }: DisclosureRequest,
): Promise<LedgerDisclosure> {
  const { leaf, leafHash, disclosures } = rowFields(database, row);
  const disclosure = disclosures.get(field);
  if (disclosure === undefined)
    throw new OperatorError(
      `row ${row}: it has no field ${JSON.stringify(field)}, only: ${[...disclosures.keys()].join(", ")}`,
    );
  const checkpoint = size === undefined ? newestTree(checkpoints, row) : signedTree(checkpoints, row, size);
  const path = inclusionPath(database, row, checkpoint.size);
  const claim = { index: row - 1, size: checkpoint.size, leafHash, path };
  if (!checkpoint.root.equals(await rootOfInclusion(claim, nodeHash)))
    throw changedRow(row, `it does not lead to the signed root of ${checkpoint.size} rows`);
  const proof = formatTlogProof({ index: row - 1, path, checkpoint: checkpoint.note });
  const { origin, environment } = meta;
  return { schema: SCHEMA.ledgerDisclosure, origin, environment, row, field, disclosure, leaf, proof };
}

function newestTree(checkpoints: Checkpoints, row: number): Checkpoint {
  const newest = checkpoints.latest();
  if (newest !== undefined && row <= newest.size) return newest;
  throw new OperatorError(
    `row ${row}: not yet in a signed tree, the newest has ${newest?.size ?? 0} rows: run \`presence seal --now\` first`,
  );
}

function signedTree(checkpoints: Checkpoints, row: number, size: number): Checkpoint {
  const checkpoint = checkpoints.at(size);
  if (checkpoint === undefined)
    throw new OperatorError(
      `--size ${size}: no signed tree has that size; the newest has ${checkpoints.latest()?.size ?? 0}`,
    );
  if (row > size)
    throw new OperatorError(`row ${row}: not in the tree of ${size} rows: give a larger --size`);
  return checkpoint;
}
