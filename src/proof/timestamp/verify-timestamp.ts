import { Certificate, id_sha256, type SignedData, SignedDataVerifyError, type TSTInfo } from "pkijs";
import { sha256 } from "../../kernel/hash.ts";
import { isoTime } from "../../kernel/time.ts";
import { assertChain } from "./chain.ts";
import { plainLine, TimestampInvalid } from "./errors.ts";
import { assertSignedAttributes } from "./signed-attributes.ts";
import { assertMayStamp, subjectName } from "./signer-certificate.ts";
import { parseTimestampResponse } from "./timestamp-response.ts";
import type { TrustAnchor } from "./trust-anchors.ts";

export interface TimestampCheck {
  readonly response: Uint8Array; // DER of a TimeStampResp
  readonly message: Uint8Array; // the bytes that were stamped
  readonly nonce?: Uint8Array; // of the query, where one is at hand
  readonly trustAnchors?: readonly TrustAnchor[]; // without them the signer stays unverified
  readonly notBefore?: number; // ms; the stamp's time must lie between, both included
  readonly notAfter?: number; // ms
}

export interface VerifiedTimestamp {
  readonly time: number; // ms; when the authority saw the hash
  readonly serial: string; // hex
  readonly policy: string; // object identifier
  readonly signerName: string;
  readonly chain: "verified" | "unchecked";
}

/**
 * Verifies an RFC 3161 answer over `message`, which must be stamped with SHA-256.
 * Throws TimestampInvalid, saying what is wrong. A chain that is "unchecked" leaves open who the signer is.
 */
export async function verifyTimestamp(check: TimestampCheck): Promise<VerifiedTimestamp> {
  try {
    return await verified(check);
  } catch (error) {
    if (error instanceof TimestampInvalid) throw error;
    // The bytes are untrusted, and third-party parsers may throw anything.
    const detail = error instanceof Error ? error.message : String(error);
    throw new TimestampInvalid(`the answer cannot be read (${plainLine(detail)})`, { cause: error });
  }
}

async function verified(check: TimestampCheck): Promise<VerifiedTimestamp> {
  const { info, signedData, signerInfo } = parseTimestampResponse(check.response);
  assertAsked(info, check);
  const signer = await verifiedSigner(signedData, check.message);
  await assertSignedAttributes(signerInfo, signer);
  const time = info.genTime.getTime();
  assertMayStamp(signer, time);
  const { trustAnchors } = check;
  const carried = (signedData.certificates ?? []).filter((item) => item instanceof Certificate);
  if (trustAnchors !== undefined) await assertChain(signer, carried, trustAnchors, time);
  return {
    time,
    serial: Buffer.from(info.serialNumber.valueBlock.valueHexView).toString("hex"),
    policy: info.policy,
    signerName: subjectName(signer),
    chain: trustAnchors === undefined ? "unchecked" : "verified",
  };
}

/** Throws TimestampInvalid unless the stamp is over our message, for our query, and at a time that can be. */
function assertAsked(info: TSTInfo, { message, nonce, notBefore, notAfter }: TimestampCheck): void {
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithmId !== id_sha256)
    throw new TimestampInvalid(`the stamp is over a hash of another kind (${hashAlgorithm.algorithmId})`);
  if (!sha256(message).equals(Buffer.from(hashedMessage.getValue())))
    throw new TimestampInvalid(
      "the stamp is over other bytes: the message imprint is not the SHA-256 of these",
    );
  if (nonce !== undefined && !Buffer.from(nonce).equals(nonceOf(info)))
    throw new TimestampInvalid("the answer is to another query: the nonce differs");
  const time = info.genTime.getTime();
  if (!(time >= (notBefore ?? 0) && time <= (notAfter ?? Number.MAX_SAFE_INTEGER)))
    throw new TimestampInvalid(`the stamp's time cannot be: ${Number.isNaN(time) ? "none" : isoTime(time)}`);
}

function nonceOf({ nonce }: TSTInfo): Buffer {
  return Buffer.from(nonce?.valueBlock.valueHexView ?? []);
}

/** The certificate, carried in the token, whose key made the signature. */
async function verifiedSigner(signedData: SignedData, message: Uint8Array): Promise<Certificate> {
  const data = new Uint8Array(message).buffer;
  try {
    const result = await signedData.verify({ signer: 0, data, checkChain: false, extendedMode: true });
    if (result.signatureVerified === true && result.signerCertificate instanceof Certificate)
      return result.signerCertificate;
  } catch (error) {
    if (!(error instanceof SignedDataVerifyError)) throw error;
    throw new TimestampInvalid(`the signature does not verify (${plainLine(error.message)})`, {
      cause: error,
    });
  }
  throw new TimestampInvalid("the signature does not verify");
}
