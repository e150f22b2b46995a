import { z } from "zod";
import { CheckpointType, Environment, ExternalProofStatus, RedactionReason } from "../enums.ts";
import { Count, Day, Sha256Hex, Timestamp, Uri } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

export const ExternalProof = z
  .looseObject({
    provider: z.string().nullable(),
    status: ExternalProofStatus,
    proof_sha256: Sha256Hex.nullable(),
    verified_at: Timestamp.nullable(),
  })
  .meta({
    id: "ExternalProof",
    description:
      "RFC 3161 timestamp over the signed note. `pending`: requested, no valid response yet. `failed`: the response does not verify. `proof_sha256` is the hash of the file at `timestamp_url`; null unless verified.",
  });
export type ExternalProof = z.infer<typeof ExternalProof>;

export const LedgerCheckpoint = z
  .looseObject({
    date: Day,
    environment: Environment,
    checkpoint_type: CheckpointType,
    first_observation_id: z.int().positive().describe("First ledger row of the range."),
    last_observation_id: z.int().positive().describe("Last ledger row of the range."),
    leaf_count: z.int().positive(),
    merkle_root: Sha256Hex.describe("RFC 6962 Merkle root of the leaves in the range."),
    last_ledger_hash: Sha256Hex,
    previous_manifest_sha256: Sha256Hex.nullable().describe("Null for the first checkpoint."),
    manifest_sha256: Sha256Hex,
    hash_algorithm: z.string(),
    canonicalization_version: z.string(),
    created_at: Timestamp,
    signing_key_id: z.string().regex(/^[0-9a-f]{8}$/),
    external_proof: ExternalProof,
    tree_size: z
      .int()
      .positive()
      .describe(
        "Size of the smallest signed tree that contains this manifest; its signature covers the range.",
      ),
    checkpoint_url: Uri.describe("URL of that tree's signed note (C2SP tlog-checkpoint)."),
    timestamp_url: Uri.nullable().describe(
      "URL of the timestamp over that note (RFC 3161, DER); null unless the external proof is verified.",
    ),
  })
  .meta({ id: "LedgerCheckpoint", description: "The sealed manifest of one range of ledger rows." });
export type LedgerCheckpoint = z.infer<typeof LedgerCheckpoint>;

export const LedgerCheckpointsResponse = z
  .looseObject({
    external_timestamping_active: z.boolean().describe("True when a timestamp authority is configured."),
    externally_confirmed: z
      .boolean()
      .describe("True when the newest checkpoint has a verified external proof."),
    checkpoints: z.array(LedgerCheckpoint),
  })
  .meta({ id: "LedgerCheckpointsResponse", description: "The ledger's daily seals." });
export type LedgerCheckpointsResponse = z.infer<typeof LedgerCheckpointsResponse>;

/**
 * One value of one row, which the operator hands to an auditor and never publishes. Strict, so that the document contains
 * nothing unchecked.
 */
export const LedgerDisclosure = z
  .strictObject({
    schema: z.literal(SCHEMA.ledgerDisclosure),
    origin: z.string().min(1).describe("Name of the log."),
    environment: Environment,
    row: z.int().positive(),
    field: z.string().regex(/^[a-z0-9_]{1,64}$/),
    disclosure: z
      .string()
      .regex(/^[A-Za-z0-9_-]+$/)
      .describe("base64url of [salt, field, value] (RFC 9901); the leaf contains its digest."),
    leaf: z.string().describe("The row's leaf as text."),
    proof: z.string().describe("Inclusion proof of the leaf in a signed tree (C2SP tlog-proof)."),
  })
  .meta({ id: "LedgerDisclosure", description: "One value of one ledger row, with its proof." });
export type LedgerDisclosure = z.infer<typeof LedgerDisclosure>;

/** Maximum size of a disclosure document, in bytes. */
export const MAX_DISCLOSURE_BYTES = 1024 * 1024;

export const LedgerKeySpan = z
  .looseObject({
    key_id: z.string().regex(/^[0-9a-f]{8}$/),
    vkey: z.string().describe("C2SP note verification key."),
    from_tree_size: Count.describe(
      "The key signs trees larger than this; the first key also signs the empty tree.",
    ),
    created_at: Timestamp,
    until_tree_size: Count.nullable().describe(
      "Size of the largest tree that the key signs; null while the key is in use.",
    ),
    retired_at: Timestamp.nullable().describe("Creation time of the next key; null while the key is in use."),
    endorsement: z
      .string()
      .nullable()
      .describe(
        "Note signed by the previous key over `<origin>/keys`, this vkey and from_tree_size, one per line. Null for the first key.",
      ),
  })
  .meta({ id: "LedgerKeySpan", description: "A key that signs tree heads, with the tree sizes it covers." });

export const ManifestKeySpan = z
  .looseObject({
    key_id: z.string().regex(/^[0-9a-f]{8}$/),
    vkey: z.string().describe("C2SP note verification key; its name is `<origin>/manifest`."),
    created_at: Timestamp,
    retired_at: Timestamp.nullable().describe("Creation time of the next key; null while the key is in use."),
    endorsement: z
      .string()
      .describe(
        "Note signed by a key of the ledger over `<origin>/manifest-keys`, this vkey and created_at, one per line.",
      ),
  })
  .meta({ id: "ManifestKeySpan", description: "A key that signs the manifests of releases." });
export type ManifestKeySpan = z.infer<typeof ManifestKeySpan>;

export const LedgerKeys = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerKeys),
    origin: z.string().describe("Name of the log and of all its keys."),
    environment: Environment,
    keys: z.array(LedgerKeySpan).min(1).describe("Oldest first."),
    manifest_keys: z
      .array(ManifestKeySpan)
      .optional()
      .describe(
        "Keys that sign the manifests of releases, oldest first; the last one is in use. Absent in older releases.",
      ),
  })
  .meta({ id: "LedgerKeys", description: "All signing keys of the ledger with their spans." });
export type LedgerKeys = z.infer<typeof LedgerKeys>;

const RowId = z.int().positive();

/**
 * Ledger rows as ranges `[first, last]`, both inclusive: ascending, without overlap, as few as possible. A record that
 * was seen ten thousand times stays one short list.
 */
export const RowRanges = z.array(z.array(RowId).length(2));
export type RowRanges = z.infer<typeof RowRanges>;

/** The ranges of ascending row numbers; a number that comes twice counts once. */
export function rowRanges(ascending: Iterable<number>): RowRanges {
  const ranges: [first: number, last: number][] = [];
  for (const row of ascending) {
    const open = ranges.at(-1);
    if (open !== undefined && row <= open[1] + 1) open[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}

/** Rows that a document about one record rests on: once `/api/v1/withdrawals` names one of them, the document is out of date. */
export const RecordRows = z
  .looseObject({
    record: RowId.describe("Row of the record."),
    assets: z.array(RowId).describe("Rows of its assets, ascending."),
    observations: RowRanges.describe(
      "Rows of its listed observations, rejected ones included, as ranges [first, last]; both ends included.",
    ),
  })
  .meta({
    id: "RecordRows",
    description:
      "Ledger rows behind this document. When `/api/v1/withdrawals` lists one of them, delete or refresh your copy.",
  });
export type RecordRows = z.infer<typeof RecordRows>;

/** The list of withdrawn ledger rows, for those who hold copies: row numbers, without names and without reasons. */

export const Withdrawal = z
  .looseObject({
    row: RowId.describe("The withdrawn row."),
    withdrawn_by: RowId.describe("The row that withdrew it."),
  })
  .meta({
    id: "Withdrawal",
    description: "A ledger row whose values are erased, or that was withdrawn because its batch was undone.",
  });
export type Withdrawal = z.infer<typeof Withdrawal>;

export const WithdrawalsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.withdrawals),
    data_as_of: Timestamp,
    tree_size: RowId.describe("Ledger rows of this release."),
    total_count: Count.describe("Withdrawn rows in this release, on all pages."),
    has_more: z.boolean().describe("True when more rows follow this page."),
    next_cursor: z
      .string()
      .nullable()
      .describe(
        "Pass it as `cursor` to get later withdrawals. It never expires: keep the last one, and ask again after the next release. Null until a row is withdrawn.",
      ),
    note: z.string(),
    withdrawals: z.array(Withdrawal).describe("In the order of withdrawal."),
  })
  .meta({ id: "WithdrawalsResponse", description: "One page of the withdrawn ledger rows." });
export type WithdrawalsResponse = z.infer<typeof WithdrawalsResponse>;

export const WITHDRAWALS_NOTE =
  "Delete or refresh each copy based on one of these rows: `rows` of a record, `entity_row` of a list item, `rows` of a citation, `id` of an observation. A withdrawn row is no evidence, and the list gives no reasons.";

/** Position after the last listed row. Rows of one withdrawal are published together, so it stays valid in every later release. */
export interface WithdrawalCursor {
  readonly withdrawnBy: number;
  readonly row: number;
}

const CURSOR = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/;

/** Undefined for text that `withdrawalCursor` did not write. */
export function readWithdrawalCursor(text: string): WithdrawalCursor | undefined {
  const [, withdrawnBy, row] = CURSOR.exec(text) ?? [];
  return row === undefined ? undefined : { withdrawnBy: Number(withdrawnBy), row: Number(row) };
}

export function withdrawalCursor({ withdrawnBy, row }: WithdrawalCursor): string {
  return `${withdrawnBy}.${row}`;
}

export const RedactionCount = z
  .looseObject({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe("UTC month in which the rows were erased."),
    kind: z.enum(["redaction"]).describe("One kind for all: the reason is private."),
    reason: RedactionReason.nullable().describe("Always null: `reasons_by_month` counts reasons."),
    redactions: z.int().positive().describe("Erasure decisions."),
    rows: Count.describe("Rows newly erased by these decisions."),
  })
  .meta({ id: "RedactionCount", description: "Rows erased in one month." });
export type RedactionCount = z.infer<typeof RedactionCount>;

/** Fewer decisions of one reason in a month are withheld: they could be matched with single rows. */
export const MIN_REASON_DECISIONS = 3;

export const RedactionReasons = z
  .looseObject({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe("UTC month in which the rows were erased."),
    reasons: z
      .array(z.looseObject({ reason: RedactionReason, redactions: z.int().min(MIN_REASON_DECISIONS) }))
      .describe("Erasure decisions by reason; reasons with fewer than three are withheld."),
    reasons_withheld: z
      .boolean()
      .describe("Reasons of this month are withheld: too few decisions, or the month is not over."),
  })
  .meta({
    id: "RedactionReasons",
    description:
      "Why rows were erased in one month. Reasons are private; the operator states these counts, and the ledger cannot prove them.",
  });
export type RedactionReasons = z.infer<typeof RedactionReasons>;

export const LedgerRedactions = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerRedactions),
    total_rows: Count.describe("Ledger rows whose values are erased."),
    counts: z.array(RedactionCount).describe("Sorted by month."),
    reasons_by_month: z.array(RedactionReasons).describe("Sorted by month."),
  })
  .meta({ id: "LedgerRedactions", description: "Counts of erased ledger rows and of the reasons by month." });
export type LedgerRedactions = z.infer<typeof LedgerRedactions>;
