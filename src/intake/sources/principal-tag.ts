import type { IntakeHashes } from "../lines/sighting.ts";

const TAG_BYTES = 12;

/** Tells principals of one record apart, and says nothing across records. */
export function principalTag(
  principal: string,
  record: number,
  hashes: Pick<IntakeHashes, "observerTag">,
): string {
  const digest = hashes.observerTag(JSON.stringify(["principal", principal, record]));
  return Buffer.from(digest.slice(0, 2 * TAG_BYTES), "hex").toString("base64url");
}
