import { type BaseBlock, Constructed, ObjectIdentifier, OctetString } from "asn1js";
import {
  type Certificate,
  id_eContentType_TSTInfo,
  id_sha256,
  id_sha384,
  id_sha512,
  type SignerInfo,
} from "pkijs";
import { TimestampInvalid } from "./errors.ts";

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
export async function assertSignedAttributes(signerInfo: SignerInfo, signer: Certificate): Promise<void> {
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
