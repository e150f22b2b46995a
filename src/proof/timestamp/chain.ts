import {
  BasicConstraints,
  type Certificate,
  CertificateChainValidationEngine,
  checkCA,
  id_BasicConstraints,
} from "pkijs";
import { plainLine, TimestampInvalid } from "./errors.ts";
import { assertNothingUnknown, extensionsOf, subjectName } from "./signer-certificate.ts";

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
