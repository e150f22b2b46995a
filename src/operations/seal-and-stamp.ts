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

/** Maximum number of checkpoints that one run has timestamped. */
const PROOFS_PER_RUN = 20;

/**
 * Seals, then has the newest checkpoint timestamped, and those that still wait from earlier runs. The seal is on disk before the first request and
 * does not depend on its outcome; the ledger is unlocked meanwhile. Throws OperatorError, and seals nothing, when TSA_CA_FILE cannot be read.
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
      `TSA_CA_FILE ${caFile}: ${reason}: name a PEM file with the root certificates of the timestamp authority, or unset TSA_URL`,
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

/** Gives way to another writer: proofs that are lost by that are requested again. */
function record(context: CommandContext, options: SealOptions, outcomes: readonly ProofOutcome[]): void {
  if (outcomes.length === 0) return;
  try {
    using writer = openWriter(context, options.clock);
    writer.recordProofs(outcomes);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    context.stderr.write(
      `external proof: not recorded: ${error.message}. The seal is valid; the next seal requests the proof again.\n`,
    );
  }
}

function newestProof(context: CommandContext): StampedSeal["externalProof"] {
  using reader = openLedgerReader(homeOf(context).ledger);
  const newest = reader.latestCheckpoint();
  return reader.externalProofs().find(({ size }) => size === newest?.size)?.status ?? "none";
}
