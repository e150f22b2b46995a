import { X509Certificate } from "node:crypto";
import { BitString } from "asn1js";
import {
  type Certificate,
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
import { plainLine, TimestampInvalid } from "./errors.ts";

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
export function assertNothingUnknown(certificate: Certificate): void {
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

export function extensionsOf({ extensions = [] }: Certificate, id: string) {
  return extensions.filter(({ extnID }) => extnID === id);
}
