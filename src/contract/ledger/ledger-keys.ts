import { z } from "zod";
import { Environment } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

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
