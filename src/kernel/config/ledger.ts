import { z } from "zod";
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
    TIME_URL: z
      .url({ protocol: /^https$/, error: "must be an https:// address" })
      .optional()
      .describe(
        "https address whose Date header the clock is compared with before rows are written, when TSA_URL is unset or does not answer; unset: none",
      ),
  },
  ({ TSA_URL: url, TSA_CA_FILE: caFile, TIME_URL: timeUrl }) => ({
    timestampAuthority: authority(url, caFile),
    timeUrl,
  }),
);

/** A timestamp proves nothing unless its authority is trusted, so the roots are required. */
function authority(url: string | undefined, caFile: string | undefined) {
  if (url === undefined) return undefined;
  if (caFile !== undefined) return { url, caFile };
  throw new OperatorError(
    "environment variable TSA_CA_FILE must be set when TSA_URL is set: name a PEM file with the root certificates of the authority",
  );
}
