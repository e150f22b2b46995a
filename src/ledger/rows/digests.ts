/**
 * Salted digests of a row's values in the form of SD-JWT (RFC 9901, 4.2): a disclosure is base64url(JSON [salt, name, value]),
 * its digest base64url(SHA-256(disclosure)). A leaf holds digests only, so deleting a salt and its value erases them for good.
 */
import { leafHash, sha256Base64url } from "../../kernel/hash.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import type { JsonValue } from "../../kernel/text/json.ts";
import { HASH_BYTES } from "../../proof/tlog/proof.ts";

export const SALT_BYTES = 16;
/** Every row has as many digests, so their number tells nothing about the row. */
export const DIGEST_COUNT = 5;
export const BODY_NAME = "body";

/** One value that a row commits to; `json` is the exact text that is hashed. */
export interface Claim {
  readonly name: string;
  readonly json: string;
}

/** What is stored of a row: `salts` in the order of the claims, `digests` (5 x 32 bytes) in the order of the leaf. */
export interface Commitment {
  readonly salts: Buffer;
  readonly digests: Buffer;
  readonly leafHash: Buffer;
}

export function disclosure(salt: string, claim: Claim): string {
  const json = `["${salt}",${JSON.stringify(claim.name)},${claim.json}]`;
  return Buffer.from(json).toString("base64url");
}

export function disclosureDigest(text: string): string {
  return sha256Base64url(text);
}

/** The disclosure of the claim whose salt is the `index`th of `salts`. */
export function claimDisclosure(salts: Buffer, index: number, claim: Claim): string {
  const at = index * SALT_BYTES;
  return disclosure(salts.toString("base64url", at, at + SALT_BYTES), claim);
}

export function claimDigest(salts: Buffer, index: number, claim: Claim): string {
  return disclosureDigest(claimDisclosure(salts, index, claim));
}

/** Private values with their salts and digests, made apart from the row they will belong to. Plain data. */
export interface CommittedValues {
  readonly json: string; // the values as they are stored
  readonly salts: Uint8Array; // in the order of the values
  readonly digests: readonly string[];
}

export type PrivateValues = { readonly [name: string]: JsonValue };

/** Salts and digests of at most four private values, each a disclosure of its own. Throws RangeError for more. */
export function commitValues(values: PrivateValues, random: RandomBytes): CommittedValues {
  const claims = Object.entries(values).map(([name, value]) => ({ name, json: JSON.stringify(value) }));
  if (claims.length >= DIGEST_COUNT)
    throw new RangeError(`at most ${DIGEST_COUNT - 1} private values per row`);
  const salts = random(claims.length * SALT_BYTES);
  return {
    json: jsonObject(claims),
    salts,
    digests: claims.map((claim, index) => claimDigest(salts, index, claim)),
  };
}

/** The values as they were hashed, character by character. */
function jsonObject(claims: readonly Claim[]): string {
  return `{${claims.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/** Commits row `id` to its body and private values. Random bytes, which no one can tell from a digest, fill the list up. */
export function commit(
  id: number,
  kind: string,
  body: string,
  values: CommittedValues | undefined,
  random: RandomBytes,
): Commitment {
  const count = 1 + (values?.digests.length ?? 0);
  const drawn = random(SALT_BYTES + (DIGEST_COUNT - count) * HASH_BYTES);
  const salt = drawn.subarray(0, SALT_BYTES);
  const texts = [claimDigest(salt, 0, { name: BODY_NAME, json: body }), ...(values?.digests ?? [])];
  for (let at = SALT_BYTES; at < drawn.length; at += HASH_BYTES)
    texts.push(drawn.toString("base64url", at, at + HASH_BYTES));
  texts.sort();
  const digests = Buffer.allocUnsafe(DIGEST_COUNT * HASH_BYTES);
  texts.forEach((text, index) => {
    digests.write(text, index * HASH_BYTES, "base64url");
  });
  const salts = values === undefined ? salt : Buffer.concat([salt, values.salts]);
  return { salts, digests, leafHash: leafHash(leafText(id, kind, texts)) };
}

/** The stored digests as text, in the order of the leaf. */
export function digestTexts(digests: Buffer): string[] {
  return Array.from({ length: DIGEST_COUNT }, (_, index) =>
    digests.toString("base64url", index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

/** The leaf: RFC 8785 canonical JSON. Keys are written in their canonical order; nothing in it needs escaping. */
export function leafText(id: number, kind: string, digests: readonly string[]): string {
  return `{"_sd":["${digests.join('","')}"],"_sd_alg":"sha-256","i":${id},"k":"${kind}","v":1}`;
}
