import { X509Certificate } from "node:crypto";
import { BitString } from "asn1js";
import {
  BasicConstraints,
  Certificate,
  CertificateChainValidationEngine,
  checkCA,
  ExtKeyUsage,
  id_BasicConstraints,
  id_CertificatePolicies,
  id_ExtKeyUsage,
  id_InhibitAnyPolicy,
  id_KeyUsage,
  id_NameConstraints,
  id_PolicyConstraints,
  id_PolicyMappings,
  id_SubjectAltName,
} from "pkijs";
import { isoTime } from "../../kernel/time.ts";
import { plainLine, TimestampInvalid } from "./authority.ts";

export type TrustAnchor = Certificate;

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text. Throws TimestampInvalid when there is none, or one that cannot be read. */
export function trustAnchorsFromPem(pem: string): TrustAnchor[] {
  const blocks = pem.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new TimestampInvalid("there is no certificate in PEM form");
  return blocks.map((block, index) => {
    try {
      return Certificate.fromBER(new Uint8Array(new X509Certificate(block).raw));
    } catch (cause) {
      throw new TimestampInvalid(`certificate ${index + 1} cannot be read`, { cause });
    }
  });
}

const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
const MAY_SIGN = 0b1100_0000; // digitalSignature, nonRepudiation: the first two bits of KeyUsage

/** The critical extensions that pkijs or this module acts upon. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  id_BasicConstraints,
  id_CertificatePolicies,
  id_ExtKeyUsage,
  id_InhibitAnyPolicy,
  id_KeyUsage,
  id_NameConstraints,
  id_PolicyConstraints,
  id_PolicyMappings,
  id_SubjectAltName,
]);

/** `C=CA, O=Example, CN=Example TSA`, for people to read. */
export function subjectName(certificate: Certificate): string {
  const { subject } = new X509Certificate(Buffer.from(certificate.toSchema().toBER()));
  return plainLine(subject.replaceAll("\n", ", "));
}

/**
 * Whether this certificate's holder may issue timestamps, and could at that time (ms): critical extended key usage of exactly
 * timeStamping (RFC 3161, 2.3), a key for signing only, valid, and nothing critical that we do not know.
 */
export function assertMayStamp(certificate: Certificate, time: number): void {
  const [usage, ...more] = extensionsOf(certificate, id_ExtKeyUsage);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  if (purposes.join() !== TIME_STAMPING || more.length > 0 || usage?.critical !== true)
    throw new TimestampInvalid(
      "the signer's certificate is not for timestamps: its extended key usage must be critical and timeStamping alone",
    );
  for (const { parsedValue } of extensionsOf(certificate, id_KeyUsage)) {
    const [bits = 0, second = 0] =
      parsedValue instanceof BitString ? parsedValue.valueBlock.valueHexView : [];
    if ((bits & MAY_SIGN) === 0 || (bits & ~MAY_SIGN) !== 0 || second !== 0)
      throw new TimestampInvalid("the signer's certificate has a key usage other than signing");
  }
  assertNothingUnknown(certificate);
  assertValidAt(certificate, time);
}

/** pkijs takes any extension that is ASN.1 for one it understands; a critical one must be understood (RFC 5280, 4.2). */
function assertNothingUnknown(certificate: Certificate): void {
  const unknown = certificate.extensions?.find(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID));
  if (unknown === undefined) return;
  throw new TimestampInvalid(
    `the certificate of ${subjectName(certificate)} has an unknown critical extension, ${unknown.extnID}`,
  );
}

function assertValidAt(certificate: Certificate, time: number): void {
  const [from, until] = [certificate.notBefore.value.getTime(), certificate.notAfter.value.getTime()];
  if (time >= from && time <= until) return;
  throw new TimestampInvalid(
    `stamped at ${isoTime(time)}, but the certificate of ${subjectName(certificate)} is valid from ${isoTime(from)} to ${isoTime(until)}`,
  );
}

function extensionsOf({ extensions = [] }: Certificate, id: string) {
  return extensions.filter(({ extnID }) => extnID === id);
}

const MAX_PATH = 6; // certificates, signer and root among them
const SIGNATURE_CHECKS = 64;

/**
 * From the signer over certificates of the token to one of the anchors, each valid at that time (ms). Revocation is not looked
 * up. The paths are found here and judged by pkijs, whose own search follows circles and gives up at the first dead end, such
 * as a cross-certificate that the token carries next to a root we trust.
 */
export async function assertChain(
  signer: Certificate,
  carried: readonly Certificate[],
  anchors: readonly Certificate[],
  time: number,
): Promise<void> {
  const authorities = carried.filter((certificate) => checkCA(certificate, signer) !== null);
  let lastFault = "none of the roots issued it, or a certificate that the token carries";
  for await (const path of pathsUp([signer], { authorities, anchors, checks: 0 })) {
    const fault = await pathFault(path, time);
    if (fault === undefined) return;
    lastFault = fault;
  }
  throw new TimestampInvalid(
    `the signer ${subjectName(signer)} has no valid chain to a trusted root: ${lastFault}`,
  );
}

interface Search {
  readonly authorities: readonly Certificate[];
  readonly anchors: readonly Certificate[];
  checks: number;
}

/** Every way up to an anchor, the shortest turn first; each step is a verified signature. */
async function* pathsUp(path: readonly Certificate[], search: Search): AsyncGenerator<Certificate[]> {
  for (const anchor of search.anchors) if (await issuedLast(anchor, path, search)) yield [...path, anchor];
  if (path.length + 1 === MAX_PATH) return;
  for (const authority of search.authorities)
    if (!path.includes(authority) && (await issuedLast(authority, path, search)))
      yield* pathsUp([...path, authority], search);
}

async function issuedLast(
  issuer: Certificate,
  path: readonly Certificate[],
  search: Search,
): Promise<boolean> {
  const last = path.at(-1);
  if (last === undefined || !last.issuer.isEqual(issuer.subject)) return false;
  search.checks += 1;
  if (search.checks > SIGNATURE_CHECKS)
    throw new TimestampInvalid("the token carries too many certificates that issued each other");
  return last.verify(issuer).catch(() => false); // a key of another kind than the signature
}

/** What is wrong with a path from the signer to an anchor, or undefined. */
async function pathFault(path: readonly Certificate[], time: number): Promise<string | undefined> {
  const [signer, ...above] = path;
  const anchor = above.at(-1);
  if (signer === undefined || anchor === undefined) return "it is too short";
  const engine = new CertificateChainValidationEngine({
    certs: [...above.slice(0, -1), signer],
    trustedCerts: [anchor],
    checkDate: new Date(time),
    findIssuer: async (certificate) => path.slice(path.indexOf(certificate)).slice(1, 2),
  });
  const { result, resultMessage, certificatePath: judged = [] } = await engine.verify();
  if (!result) return plainLine(resultMessage);
  if (judged[0] !== signer || judged.length !== path.length) return "the signer is its own root";
  for (const [index, certificate] of path.entries()) {
    assertNothingUnknown(certificate);
    if (index > pathLength(certificate) + 1)
      return `${subjectName(certificate)} allows fewer authorities below it`;
  }
  return undefined;
}

/** How many authorities may stand between this one and the signer (RFC 5280, 4.2.1.9), which pkijs does not count. */
function pathLength(certificate: Certificate): number {
  const [constraints] = extensionsOf(certificate, id_BasicConstraints);
  const value = constraints?.parsedValue;
  const length = value instanceof BasicConstraints ? value.pathLenConstraint : undefined;
  return typeof length === "number" ? length : Number.POSITIVE_INFINITY;
}
