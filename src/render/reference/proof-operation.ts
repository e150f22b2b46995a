import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { ADMISSION_ERRORS, OPTIONAL_KEY } from "./account-paths.ts";

export const PROOF_OPERATION = "getRowProof";

/** OpenAPI path of `/ledger/proof/{row}`, which is computed from a release's tiles and not from its database. */
export function proofOperation(
  errors: (statuses: readonly (400 | 404 | (typeof ADMISSION_ERRORS)[number])[]) => JsonObject,
): JsonObject {
  return {
    operationId: PROOF_OPERATION,
    tags: ["Ledger"],
    security: OPTIONAL_KEY,
    summary: "Get the inclusion proof of a ledger row",
    description:
      "Returns a `.tlog-proof` (C2SP tlog-proof): the hashes from the row's leaf to a signed tree head, and that head. The server builds it from the published tiles, so any copy of the site can provide the same proof.",
    parameters: [
      {
        name: "row",
        in: "path",
        required: true,
        description: "Ledger row, starting at 1. Its leaf index is one less.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "size",
        in: "query",
        required: false,
        description: "Size of an earlier signed tree. Default: the newest tree.",
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
