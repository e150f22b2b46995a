import type { ProofOutcome, Unproven } from "../ledger/external-proofs.ts";
import { TimestampInvalid, TimestampUnavailable } from "../timestamp/errors.ts";
import { requestTimestamp } from "../timestamp/request-timestamp.ts";
import { timestampQuery } from "../timestamp/timestamp-query.ts";
import type { TrustAnchor } from "../timestamp/trust-anchors.ts";
import { verifyTimestamp } from "../timestamp/verify-timestamp.ts";
import type { CommandContext } from "./context.ts";

/** A time-stamp authority, and the roots that it is trusted under. */
export interface Authority {
  readonly url: string;
  readonly host: string;
  readonly trustAnchors: readonly TrustAnchor[];
}

/** How far the authority's clock and ours may differ. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Asks for a stamp over each checkpoint, one after the other, and says on stderr what went wrong. When there is no answer the rest
 * is not asked for, which would only cost the same time again.
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
        `external proof of checkpoint ${size}: ${error.message}. The seal stands; the proof is asked for again at the next one.\n`,
      );
      return { size, provider: host, status: "pending" };
    }
    if (!(error instanceof TimestampInvalid)) throw error;
    stderr.write(
      `EXTERNAL PROOF REFUSED: checkpoint ${size}: ${host} answered, and the answer proves nothing: ${error.message}. ` +
        "It is not published. The seal stands; check TSA_URL and TSA_CA_FILE. The proof is asked for again at the next seal.\n",
    );
    return { size, provider: host, status: "failed" };
  }
}
