import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { ADMISSION_ERRORS, OPTIONAL_KEY } from "./account-paths.ts";

export const PROOF_OPERATION = "getRowProof";

/** `/ledger/proof/{row}` beside the reads of the registry: its answer is made from a release's tiles, not from its database. */
export function proofOperation(
  errors: (statuses: readonly (400 | 404 | (typeof ADMISSION_ERRORS)[number])[]) => JsonObject,
): JsonObject {
  return {
    operationId: PROOF_OPERATION,
    tags: ["Ledger"],
    security: OPTIONAL_KEY,
    summary: "Inclusion proof of a ledger row",
    description:
      "A `.tlog-proof` (C2SP tlog-proof): the hashes that lead from the row's leaf to a signed tree head, and that head. It is made from the published tiles, so a copy of the site proves the same.",
    parameters: [
      {
        name: "row",
        in: "path",
        required: true,
        description: "Ledger row, from 1; its leaf has the index one less.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "size",
        in: "query",
        required: false,
        description: "Size of an earlier signed tree. The newest when not given.",
        schema: { type: "integer", minimum: 1 },
      },
    ],
    responses: {
      200: {
        description: "The proof.",
        content: { "text/plain": { schema: { type: "string" } } },
      },
      ...errors([400, 404, ...ADMISSION_ERRORS]),
    },
  };
}
