import { z } from "zod";
import { Environment } from "../enums.ts";
import { SCHEMA } from "../versions.ts";

/**
 * One value of one row, for an auditor. Strict: whoever reads the document shall find nothing in it that is not checked.
 * Handed over by the operator, never published.
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
      .describe("base64url of [salt, field, value] (RFC 9901); its digest is in the leaf."),
    leaf: z.string().describe("Text of the row's leaf."),
    proof: z.string().describe("Inclusion of the leaf in a signed tree (C2SP tlog-proof)."),
  })
  .meta({ id: "LedgerDisclosure", description: "One value of one ledger row, with all that proves it." });
export type LedgerDisclosure = z.infer<typeof LedgerDisclosure>;

/** The largest such document that is read. */
export const MAX_DISCLOSURE_BYTES = 1024 * 1024;
