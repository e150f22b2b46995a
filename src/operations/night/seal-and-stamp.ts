import { writeLookRows } from "../../intake/looks/look-rows.ts";
import { applyDueChanges } from "../../intake/sources/due-changes.ts";
import { judgeLedger } from "../../intake/sources/judge-ledger.ts";
import { appendTallies } from "../../intake/sources/tally.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { ProofOutcome, Unproven } from "../../ledger/outside-tree.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { SealResult } from "../../ledger/tree/seal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import { takeOutTonight } from "../erasure/take-out.ts";
import { forgetErased, overwriteErased } from "../erasure/unfinished.ts";
import { type TakenBatches, takeInPending } from "../take-in.ts";
import type { Authority } from "../timestamps.ts";
import { drawSetAside } from "../waiting-reports.ts";

export interface SealOptions {
  readonly now?: boolean | undefined; // take in today's lines and seal today's rows too
  readonly clock?: string | undefined; // as `--clock`
}

export interface StampedSeal {
  /** The accepted lines that became rows before the seal. */
  readonly taken: TakenBatches;
  /** The look rows that were due. */
  readonly lookRows: number;
  readonly sealed: SealResult;
  readonly externalProof: "none" | "pending" | "verified" | "failed"; // of the newest checkpoint
}

/** Maximum number of checkpoints that one run has timestamped. */
const PROOFS_PER_RUN = 20;

/**
 * Takes in the lines of finished days, writes the look rows that are due, judges what counts, tallies a month that is over, brings
 * due changes into effect and seals, then has the newest checkpoint timestamped, and those that still wait from earlier runs. The
 * seal is on disk before the first request and does not depend on its outcome; the ledger is unlocked meanwhile. Throws
 * OperatorError, and seals nothing, when TSA_CA_FILE cannot be read.
 */
export async function sealAndStamp(context: CommandContext, options: SealOptions): Promise<StampedSeal> {
  const authority = await configuredAuthority(context);
  const { taken, lookRows, sealed, waiting } = await sealLedger(context, options, authority);
  await forgetErased(context);
  if (authority !== undefined) await askAndRecord(context, options.clock, { authority, waiting });
  return { taken, lookRows, sealed, externalProof: newestProof(context) };
}

/** Has checkpoints timestamped like `sealAndStamp`, and neither takes in lines nor seals. */
export async function stampCheckpoints(context: CommandContext, clock: string | undefined): Promise<void> {
  const authority = await configuredAuthority(context);
  if (authority === undefined) return;
  await askAndRecord(context, clock, { authority, waiting: requestProofs(context, clock, authority) });
}

/** Loads the packages of timestamps, which only a service with an authority needs. */
const proofs = () => import("../timestamps.ts");

async function askAndRecord(
  context: CommandContext,
  clock: string | undefined,
  { authority, waiting }: { readonly authority: Authority; readonly waiting: readonly Unproven[] },
): Promise<void> {
  const { askForProofs } = await proofs();
  record(context, clock, await askForProofs(context, authority, waiting));
}

function requestProofs(
  context: CommandContext,
  clock: string | undefined,
  authority: Authority,
): readonly Unproven[] {
  using writer = openWriter(context, clock);
  return writer.requestProofs(authority.host, PROOFS_PER_RUN);
}

async function configuredAuthority({ config }: CommandContext): Promise<Authority | undefined> {
  if (config.timestampAuthority === undefined) return undefined;
  const { trustedAuthority } = await proofs();
  return trustedAuthority(config.timestampAuthority);
}

async function sealLedger(
  context: CommandContext,
  options: SealOptions,
  authority: Authority | undefined,
): Promise<{ taken: TakenBatches; lookRows: number; sealed: SealResult; waiting: Unproven[] }> {
  using writer = openWriter(context, options.clock);
  const now = options.now === true;
  if (now) warnAboutToday(context, writer);
  const taken = await takeInPending(context, writer, { now });
  const lookRows = writeLookRows(writer, { now });
  judgeLedger(writer);
  appendTallies(writer, drawSetAside);
  const { leaving } = applyDueChanges(writer);
  if (leaving !== undefined) await takeOutTonight(context, writer, leaving);
  const sealed = writer.seal({ now });
  overwriteErased(context, writer);
  const waiting = authority === undefined ? [] : writer.requestProofs(authority.host, PROOFS_PER_RUN);
  return { taken, lookRows, sealed, waiting };
}

/** Says what it gives away to take in lines before their day is over. */
function warnAboutToday({ stderr }: CommandContext, writer: LedgerWriter): void {
  if (writer.pending.counts().waiting === 0) return;
  stderr.write(
    "--now takes in today's lines before the day is over: their rows are mixed only with each other, so their order tells which part of the day they came in\n",
  );
}

/** Gives way to another writer: proofs that are lost by that are requested again. */
function record(context: CommandContext, clock: string | undefined, outcomes: readonly ProofOutcome[]): void {
  if (outcomes.length === 0) return;
  try {
    using writer = openWriter(context, clock);
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
