import { BUILT_IN } from "../../contract/fields.ts";
import type { LivePrincipal } from "../../ledger/rows/live-rows.ts";
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

/** The tag at another record. A principal that was erased is still told apart from the others of the record. */
export function tagAt(
  { principal, tag }: LivePrincipal,
  record: number,
  hashes: Pick<IntakeHashes, "observerTag">,
): string {
  return tag === BUILT_IN ? BUILT_IN : principalTag(principal ?? `tag ${tag}`, record, hashes);
}
