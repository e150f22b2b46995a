import { readFileSync } from "node:fs";
import type { Config } from "../../kernel/config/config.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { requestTimestamp, timestampQuery } from "../../proof/timestamp/authority.ts";
import { trustAnchorsFromPem } from "../../proof/timestamp/certificates.ts";
import { verifyTimestamp } from "../../proof/timestamp/verify-timestamp.ts";

const MESSAGE_BYTES = 32;

/** Has random bytes timestamped: the answer's time is signed, and cannot be an old one. */
export async function authorityTime(
  { url, caFile }: NonNullable<Config["timestampAuthority"]>,
  { random, timeoutMs }: { readonly random: RandomBytes; readonly timeoutMs: number },
): Promise<number> {
  const trustAnchors = trustAnchorsFromPem(readFileSync(caFile, "utf8"));
  const message = random(MESSAGE_BYTES);
  const { body, nonce } = timestampQuery(message, random);
  const response = await requestTimestamp({ url, body, timeoutMs });
  return (await verifyTimestamp({ response, message, nonce, trustAnchors })).time;
}
