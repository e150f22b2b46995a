import { z } from "zod";
import { Environment } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

export const LedgerKeySpan = z
  .looseObject({
    key_id: z.string().regex(/^[0-9a-f]{8}$/),
    vkey: z.string().describe("C2SP note verification key."),
    from_tree_size: Count.describe(
      "The key signs larger trees than this; the first key also the empty tree.",
    ),
    created_at: Timestamp,
    until_tree_size: Count.nullable().describe("The largest tree that the key signs. Null: it is in use."),
    retired_at: Timestamp.nullable().describe("When the next key was made. Null: it is in use."),
    endorsement: z
      .string()
      .nullable()
      .describe(
        "Signed note by the key before, over `<origin>/keys`, this vkey and from_tree_size, one a line. Null on the first.",
      ),
  })
  .meta({ id: "LedgerKeySpan", description: "A key that signs tree heads, and the tree sizes it signs." });
export type LedgerKeySpan = z.infer<typeof LedgerKeySpan>;

export const LedgerKeys = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerKeys),
    origin: z.string().describe("Name of the log and of all its keys."),
    environment: Environment,
    keys: z.array(LedgerKeySpan).min(1).describe("The oldest first."),
  })
  .meta({ id: "LedgerKeys", description: "All signing keys of the ledger with their spans." });
export type LedgerKeys = z.infer<typeof LedgerKeys>;
