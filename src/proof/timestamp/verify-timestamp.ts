import { type BaseBlock, Constructed, fromBER, ObjectIdentifier, OctetString } from "asn1js";
import {
  Certificate,
  ContentInfo,
  id_eContentType_TSTInfo,
  id_sha256,
  id_sha384,
  id_sha512,
  SignedData,
  SignedDataVerifyError,
  type SignerInfo,
  TimeStampResp,
  TSTInfo,
} from "pkijs";
import { sha256 } from "../../kernel/hash.ts";
import { isoTime } from "../../kernel/time.ts";
import { plainLine, TimestampInvalid } from "./authority.ts";
import { assertChain, assertMayStamp, subjectName, type TrustAnchor } from "./certificates.ts";

export interface TimestampCheck {
  readonly response: Uint8Array; // DER of a TimeStampResp
  readonly message: Uint8Array; // the bytes that were stamped
  readonly nonce?: Uint8Array; // of the query, where one is at hand
  readonly trustAnchors?: readonly TrustAnchor[]; // without them the signer stays unverified
  readonly notBefore?: number; // ms; the stamp's time must lie between, both included
  readonly notAfter?: number; // ms
}

interface VerifiedTimestamp {
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

/** The parsed parts of an answer, not yet verified. */
interface ParsedResponse {
  readonly info: TSTInfo;
  readonly signedData: SignedData;
  readonly signerInfo: SignerInfo;
}

/** granted and grantedWithMods (RFC 3161, 2.4.2): only these two bring a token. */
const GRANTED: readonly number[] = [0, 1];
const TOKEN_CERTIFICATES = 16; // a chain needs three or four; what comes beyond would only cost time

/** Reads the DER of a TimeStampResp. Throws TimestampInvalid when it is not one that carries a token with one signer. */
export function parseTimestampResponse(response: Uint8Array): ParsedResponse {
  const answer = readable("the answer", () => new TimeStampResp({ schema: wholeBlock(response) }));
  const { status, statusStrings = [] } = answer.status;
  if (!GRANTED.includes(status)) {
    const words = statusStrings.map((text) => text.getValue()).join("; ");
    throw new TimestampInvalid(
      `the authority refused (status ${status}${words === "" ? "" : `: ${plainLine(words)}`})`,
    );
  }
  const token = answer.timeStampToken;
  if (token === undefined) throw new TimestampInvalid("the answer carries no token");
  if (token.contentType !== ContentInfo.SIGNED_DATA)
    throw new TimestampInvalid(`the token is not signed data, but ${token.contentType}`);
  const signedData = readable("the token", () => new SignedData({ schema: token.content }));
  const { eContentType, eContent } = signedData.encapContentInfo;
  if (eContentType !== id_eContentType_TSTInfo || eContent === undefined)
    throw new TimestampInvalid(`what is signed is not a timestamp, but ${eContentType}`);
  const info = readable("the timestamp", () => new TSTInfo({ schema: wholeBlock(eContent.getValue()) }));
  if (info.version !== 1) throw new TimestampInvalid(`the timestamp has version ${info.version}, not 1`);
  const [signerInfo, ...others] = signedData.signerInfos;
  if (signerInfo === undefined || others.length > 0)
    throw new TimestampInvalid(`the token has ${signedData.signerInfos.length} signers, not one`);
  if ((signedData.certificates ?? []).length > TOKEN_CERTIFICATES)
    throw new TimestampInvalid(`the token carries more than ${TOKEN_CERTIFICATES} certificates`);
  return { info, signedData, signerInfo };
}

/** The one ASN.1 value that the bytes are, with nothing behind it. */
function wholeBlock(bytes: Uint8Array | ArrayBuffer) {
  const { offset, result } = fromBER(bytes);
  if (offset === -1) throw new Error(result.error || "not ASN.1");
  if (offset !== bytes.byteLength) throw new Error(`${bytes.byteLength - offset} bytes too many`);
  return result;
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new TimestampInvalid(`${what} cannot be read (${plainLine(detail)})`, { cause: error });
  }
}

const CONTENT_TYPE = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12"; // RFC 2634: ESSCertID, SHA-1
const SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47"; // RFC 5035: ESSCertIDv2

const HASH_NAMES: ReadonlyMap<string, string> = new Map([
  [id_sha256, "SHA-256"],
  [id_sha384, "SHA-384"],
  [id_sha512, "SHA-512"],
]);

/**
 * The attributes that a timestamp must sign together with its content (RFC 3161, 2.4.2; RFC 5816): what is signed, its hash, and which
 * certificate it is signed with. Without the last, the same signature could be shown under another certificate of that key.
 */
async function assertSignedAttributes(signerInfo: SignerInfo, signer: Certificate): Promise<void> {
  const contentType = soleValue(signerInfo, CONTENT_TYPE, "content type");
  if (!(contentType instanceof ObjectIdentifier) || contentType.getValue() !== id_eContentType_TSTInfo)
    throw new TimestampInvalid("the signed content type is not that of a timestamp");
  soleValue(signerInfo, MESSAGE_DIGEST, "message digest");
  if (!HASH_NAMES.has(signerInfo.digestAlgorithm.algorithmId))
    throw new TimestampInvalid(
      `the signature uses the hash function ${signerInfo.digestAlgorithm.algorithmId}; only SHA-256, SHA-384 and SHA-512 count`,
    );
  const [algorithm, hash] = signingCertificate(signerInfo);
  const actual = await crypto.subtle.digest(algorithm, signer.toSchema().toBER());
  if (!Buffer.from(actual).equals(hash))
    throw new TimestampInvalid("the token names another signing certificate than the one it carries");
}

/** Name of the hash function, and hash, of the certificate that the signer says it used. */
function signingCertificate(signerInfo: SignerInfo): [string, Buffer] {
  const isSecond = valuesOf(signerInfo, SIGNING_CERTIFICATE_V2).length > 0;
  const type = isSecond ? SIGNING_CERTIFICATE_V2 : SIGNING_CERTIFICATE;
  const [list] = children(soleValue(signerInfo, type, "signing certificate"));
  const parts = children(children(list)[0]); // the first of the list is the signer's own
  const at = parts.findIndex((part) => part instanceof OctetString);
  const hash = parts[at];
  const name = isSecond ? hashName(at === 1 ? parts[0] : undefined) : "SHA-1";
  if (!(hash instanceof OctetString) || name === undefined)
    throw new TimestampInvalid("the signing certificate attribute cannot be read");
  return [name, Buffer.from(hash.getValue())];
}

/** SHA-256 where no algorithm is named (RFC 5035, 4). */
function hashName(algorithm: BaseBlock | undefined): string | undefined {
  if (algorithm === undefined) return "SHA-256";
  const [identifier] = children(algorithm);
  return identifier instanceof ObjectIdentifier ? HASH_NAMES.get(identifier.getValue()) : undefined;
}

function soleValue(signerInfo: SignerInfo, type: string, name: string): unknown {
  const values = valuesOf(signerInfo, type);
  if (values.length === 1) return values[0];
  throw new TimestampInvalid(`the token has ${values.length} signed attributes “${name}”, not one`);
}

function valuesOf({ signedAttrs }: SignerInfo, type: string): unknown[] {
  return (signedAttrs?.attributes ?? []).flatMap((attribute) =>
    attribute.type === type ? attribute.values : [],
  );
}

function children(block: unknown): BaseBlock[] {
  return block instanceof Constructed ? block.valueBlock.value : [];
}
