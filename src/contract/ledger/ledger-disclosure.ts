import { z } from "zod";
import { Environment } from "../enums.ts";
import { SCHEMA } from "../versions.ts";

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
