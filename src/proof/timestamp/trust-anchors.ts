import { X509Certificate } from "node:crypto";
import { Certificate } from "pkijs";
import { TimestampInvalid } from "./errors.ts";

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
