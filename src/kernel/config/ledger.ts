import { OperatorError } from "../errors.ts";
import { concern, httpUrl, path } from "./setting.ts";

/** External timestamping of the ledger's checkpoints. */
export const ledger = concern(
  {
    TSA_URL: httpUrl
      .refine((url) => !URL.parse(url)?.username, "must not contain a user name")
      .optional()
      .describe("timestamp authority (RFC 3161) that timestamps each seal; unset: none"),
    TSA_CA_FILE: path
      .optional()
      .describe("PEM file with the root certificates of the timestamp authority; required with TSA_URL"),
  },
  ({ TSA_URL: url, TSA_CA_FILE: caFile }) => ({ timestampAuthority: authority(url, caFile) }),
);

/** A timestamp proves nothing unless its authority is trusted, so the roots are required. */
function authority(url: string | undefined, caFile: string | undefined) {
  if (url === undefined) return undefined;
  if (caFile !== undefined) return { url, caFile };
  throw new OperatorError(
    "environment variable TSA_CA_FILE must be set when TSA_URL is set: name a PEM file with the root certificates of the authority",
  );
}
