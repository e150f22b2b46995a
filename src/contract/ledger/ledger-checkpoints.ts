import { z } from "zod";
import { CheckpointType, Environment, ExternalProofStatus } from "../enums.ts";
import { Day, Sha256Hex, Timestamp, Uri } from "../fields.ts";

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
