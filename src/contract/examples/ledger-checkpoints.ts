import { sha256Hex } from "../../kernel/hash.ts";
import type { LedgerCheckpoint, LedgerCheckpointsResponse } from "../ledger-checkpoints.ts";
import { CANONICALIZATION_VERSION, HASH_ALGORITHM } from "../versions.ts";
import { BASE_URL, exampleOnly, SEALED_AT } from "./base.ts";

export const checkpoint: LedgerCheckpoint = {
  date: "2026-06-28",
  environment: "demo",
  checkpoint_type: "daily",
  first_observation_id: 1,
  last_observation_id: 26,
  leaf_count: 26,
  merkle_root: sha256Hex("example merkle root"),
  last_ledger_hash: sha256Hex("example row 26"),
  previous_manifest_sha256: null,
  manifest_sha256: sha256Hex("example seal manifest"),
  hash_algorithm: HASH_ALGORITHM,
  canonicalization_version: CANONICALIZATION_VERSION,
  created_at: SEALED_AT,
  signing_key_id: "00e0a301",
  external_proof: {
    provider: "tsa.example",
    status: "verified",
    proof_sha256: sha256Hex("example time stamp"),
    verified_at: SEALED_AT,
  },
  tree_size: 27,
  checkpoint_url: `${BASE_URL}/ledger/checkpoints/27`,
  timestamp_url: `${BASE_URL}/ledger/timestamps/27.tsr`,
};

export const ledgerCheckpointsExample: LedgerCheckpointsResponse = {
  external_timestamping_active: true,
  externally_confirmed: true,
  checkpoints: [checkpoint],
  ...exampleOnly,
};
