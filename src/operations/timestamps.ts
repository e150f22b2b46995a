import { readFileSync } from "node:fs";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import type { ProofOutcome, Unproven } from "../ledger/outside-tree.ts";
import {
  requestTimestamp,
  TimestampInvalid,
  TimestampUnavailable,
  timestampQuery,
} from "../proof/timestamp/authority.ts";
import { type TrustAnchor, trustAnchorsFromPem } from "../proof/timestamp/certificates.ts";
import { verifyTimestamp } from "../proof/timestamp/verify-timestamp.ts";
import type { CommandContext } from "./context.ts";

/** A timestamp authority and its trusted roots. */
export interface Authority {
  readonly url: string;
  readonly host: string;
  readonly trustAnchors: readonly TrustAnchor[];
}

/** The authority with the roots in its file. Throws OperatorError when TSA_CA_FILE cannot be read. */
export function trustedAuthority({ url, caFile }: NonNullable<Config["timestampAuthority"]>): Authority {
  try {
    const trustAnchors = trustAnchorsFromPem(readFileSync(caFile, "utf8"));
    return { url, host: new URL(url).host, trustAnchors };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `TSA_CA_FILE ${caFile}: ${reason}: name a PEM file with the root certificates of the timestamp authority, or unset TSA_URL`,
      { cause },
    );
  }
}

/** Maximum difference between the authority's clock and this machine's. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Requests a timestamp for each checkpoint in turn, and reports failures on stderr. Stops when the authority does not answer, because each further
 * request would time out as well.
 */
export async function askForProofs(
  context: CommandContext,
  authority: Authority,
  waiting: readonly Unproven[],
): Promise<ProofOutcome[]> {
  const outcomes: ProofOutcome[] = [];
  for (const checkpoint of waiting) {
    const outcome = await ask(context, authority, checkpoint);
    outcomes.push(outcome);
    if (outcome.status === "pending") break;
  }
  return outcomes;
}

async function ask(
  { clock, random, stderr }: CommandContext,
  { url, host, trustAnchors }: Authority,
  { size, note }: Unproven,
): Promise<ProofOutcome> {
  const message = Buffer.from(note);
  const { body, nonce } = timestampQuery(message, random);
  const notBefore = clock() - CLOCK_TOLERANCE_MS;
  try {
    const response = await requestTimestamp({ url, body });
    const notAfter = clock() + CLOCK_TOLERANCE_MS;
    await verifyTimestamp({ response, message, nonce, trustAnchors, notBefore, notAfter });
    return { size, provider: host, status: "verified", token: response };
  } catch (error) {
    if (error instanceof TimestampUnavailable) {
      stderr.write(
        `external proof of checkpoint ${size}: ${error.message}. The seal is valid; the next seal requests the proof again.\n`,
      );
      return { size, provider: host, status: "pending" };
    }
    if (!(error instanceof TimestampInvalid)) throw error;
    stderr.write(
      `EXTERNAL PROOF REJECTED: checkpoint ${size}: the answer of ${host} is not a valid proof: ${error.message}. ` +
        "It is not published. The seal is valid; check TSA_URL and TSA_CA_FILE. The next seal requests the proof again.\n",
    );
    return { size, provider: host, status: "failed" };
  }
}

const MESSAGE_BYTES = 32;

/** Has random bytes timestamped: the answer's time is signed, and cannot be an old one. */
export async function authorityTime(
  { url, caFile }: NonNullable<Config["timestampAuthority"]>,
  { random, timeoutMs }: { readonly random: RandomBytes; readonly timeoutMs: number },
): Promise<number> {
  const trustAnchors = trustAnchorsFromPem(readFileSync(caFile, "utf8"));
  const message = random(MESSAGE_BYTES);
  const { body, nonce } = timestampQuery(message, random);
  const response = await requestTimestamp({ url, body, timeoutMs });
  return (await verifyTimestamp({ response, message, nonce, trustAnchors })).time;
}
