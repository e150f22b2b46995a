import { readFileSync } from "node:fs";
import { OperatorError } from "../kernel/errors.ts";
import type { ProofOutcome, Unproven } from "../ledger/external-proofs.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import type { SealResult } from "../ledger/tree/seal.ts";
import { trustAnchorsFromPem } from "../timestamp/trust-anchors.ts";
import { type Authority, askForProofs } from "./ask-for-proofs.ts";
import { type CommandContext, homeOf, openWriter } from "./context.ts";

export interface SealOptions {
  readonly now?: boolean | undefined; // seal today's rows too
  readonly clock?: string | undefined; // as `--clock`
}

export interface StampedSeal {
  readonly sealed: SealResult;
  readonly externalProof: "none" | "pending" | "verified" | "failed"; // of the newest checkpoint
}

/** How many checkpoints are asked for in one run. */
const PROOFS_PER_RUN = 20;

/**
 * Seals, then has the newest checkpoint time-stamped, and those that wait since earlier runs. The seal is on disk before anybody
 * is asked, and stands whatever comes of it; nobody holds the ledger meanwhile. Throws OperatorError, sealing nothing, when the
 * roots in TSA_CA_FILE cannot be read.
 */
export async function sealAndStamp(context: CommandContext, options: SealOptions): Promise<StampedSeal> {
  const authority = configuredAuthority(context);
  const { sealed, waiting } = sealLedger(context, options, authority);
  if (authority !== undefined) record(context, options, await askForProofs(context, authority, waiting));
  return { sealed, externalProof: newestProof(context) };
}

function configuredAuthority({ config }: CommandContext): Authority | undefined {
  if (config.timestampAuthority === undefined) return undefined;
  const { url, caFile } = config.timestampAuthority;
  try {
    const trustAnchors = trustAnchorsFromPem(readFileSync(caFile, "utf8"));
    return { url, host: new URL(url).host, trustAnchors };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `TSA_CA_FILE ${caFile}: ${reason}: name a PEM file with the roots of the time-stamp authority, or unset TSA_URL`,
      { cause },
    );
  }
}

function sealLedger(
  context: CommandContext,
  options: SealOptions,
  authority: Authority | undefined,
): { sealed: SealResult; waiting: Unproven[] } {
  using writer = openWriter(context, options.clock);
  const sealed = writer.seal({ now: options.now === true });
  const waiting = authority === undefined ? [] : writer.requestProofs(authority.host, PROOFS_PER_RUN);
  return { sealed, waiting };
}

/** Whoever has begun to write meanwhile goes first: what is lost then is asked for again. */
function record(context: CommandContext, options: SealOptions, outcomes: readonly ProofOutcome[]): void {
  if (outcomes.length === 0) return;
  try {
    using writer = openWriter(context, options.clock);
    writer.recordProofs(outcomes);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    context.stderr.write(
      `external proof: not recorded: ${error.message}. The seal stands; the proof is asked for again at the next one.\n`,
    );
  }
}

function newestProof(context: CommandContext): StampedSeal["externalProof"] {
  using reader = openLedgerReader(homeOf(context).ledger);
  const newest = reader.latestCheckpoint();
  return reader.externalProofs().find(({ size }) => size === newest?.size)?.status ?? "none";
}
