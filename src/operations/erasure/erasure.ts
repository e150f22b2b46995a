import { doneBefore, type ErasureResult, erase, finish } from "../../intake/erasure/erase.ts";
import type { ErasurePlan, ErasureRequest } from "../../intake/erasure/erasure-plan.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { backupsAfterErasure, type ErasedBackups } from "../backup/store/gate.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import { failureText } from "../failure-text.ts";
import { forgetErased, noteErased } from "../forget-erased.ts";
import { matchPublished } from "../match-published.ts";
import { mendHeld, type PatchedRelease, publishPatch } from "../patch.ts";
import { PUBLISH_LOCK, PUBLISH_WAIT_MS } from "../publish-lock.ts";
import { type PurgeReport, purgeCaches } from "../purge.ts";
import { pruningText } from "../release.ts";

/** What an erasure request comes down to, given the ledger. */
export type Planner = (ledger: LedgerWriter, request: ErasureRequest) => ErasurePlan;

export interface Confirmation {
  readonly code: string; // of the plan that the operator has read
  readonly clock: string | undefined; // as `--clock`
}

export interface CompleteErasure {
  readonly erased: ErasureResult;
  readonly patch: PatchedRelease | undefined; // undefined: nothing is published, or the release covers it already
  readonly purge: PurgeReport | undefined;
  readonly backups: ErasedBackups | undefined; // undefined: none is configured
}

/**
 * Erases what the plan with this code names: in the ledger, then in what is published, then in the ledger's file. Says on stderr when each
 * is done. Throws OperatorError when the plan has changed since, or when a step fails; the same call then finishes, and so it does after
 * a kill.
 */
export async function eraseConfirmed(
  context: CommandContext,
  request: ErasureRequest,
  plan: Planner,
  confirmation: Confirmation,
): Promise<CompleteErasure> {
  const erased = await eraseInLedger(context, request, plan, confirmation);
  context.stderr.write("erased     in the ledger and in the state\n");
  const published = await attempt(() => publishErasure(context));
  await forgetErased(context);
  scrubLedger(context, confirmation.clock);
  context.stderr.write("scrubbed   the ledger's file: no copy is left in it\n");
  if ("result" in published) {
    const { refused, ...result } = published.result;
    const backups = backupsAfterErasure(context, erased.seal.checkpoint?.size ?? 0);
    if (refused.length === 0) return { erased, ...result, backups };
    throw new OperatorError(
      `the values are erased in the ledger, and the published release no longer has them, but they are still on this disk: ${pruningText(refused)}`,
    );
  }
  throw new OperatorError(
    `the values are erased in the ledger, but the published release still has them: ${failureText(published.error)}. Solve that, then run the same command again`,
    { cause: published.error },
  );
}

async function eraseInLedger(
  context: CommandContext,
  request: ErasureRequest,
  plan: Planner,
  { code, clock }: Confirmation,
): Promise<ErasureResult> {
  using ledger = openWriter(context, clock);
  // A release that is being published now goes first: none that was built before the erasure follows it.
  const lock = acquireLock(PUBLISH_LOCK(homeOf(context)), "publishing a release", PUBLISH_WAIT_MS);
  try {
    const done = doneBefore(ledger, request, code);
    if (done !== undefined) return finish(ledger, done);
    const planned = confirmedPlan(ledger, request, code, plan);
    // First, because the ledger forgets the records when they are erased; after a kill the same code does both again.
    noteErased(homeOf(context), planned);
    await forgetErased(context, { isBefore: true });
    return erase(ledger, planned);
  } finally {
    lock.release();
  }
}

/** The patch release, then the caches. */
async function publishErasure(
  context: CommandContext,
): Promise<Omit<CompleteErasure, "erased" | "backups"> & { readonly refused: readonly string[] }> {
  const patch = await publishPatch(context);
  if (patch !== undefined)
    context.stderr.write(
      `published  ${patch.summary.releaseId} after ${patch.summary.seconds} s: the public no longer gets it\n`,
    );
  const purge = await purgeCaches(context);
  if (patch !== undefined) await queueWithdrawals(context, patch.summary.directory);
  await mendHeld(context); // after the public, who does not get it
  return { patch, purge, refused: patch?.refused ?? [] };
}

/** Partners who hold copies learn of it by webhook. What fails here, the night makes up for. */
async function queueWithdrawals(context: CommandContext, directory: string): Promise<void> {
  const queued = await attempt(() => matchPublished(context, directory));
  if ("error" in queued) context.stderr.write(`webhooks   ${failureText(queued.error)}\n`);
}

/** Last, because it takes seconds per gigabyte, which the public need not wait for. */
function scrubLedger(context: CommandContext, clock: string | undefined): void {
  using ledger = openWriter(context, clock);
  ledger.scrub();
}

async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly error: unknown }> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}

function confirmedPlan(
  ledger: LedgerWriter,
  request: ErasureRequest,
  code: string,
  plan: Planner,
): ErasurePlan {
  const planned = plan(ledger, request);
  if (planned.code === code) return planned;
  throw new OperatorError(
    `--confirm ${code} does not match: the ledger or the request has changed since. Run the command without --confirm, read the preview, and use the code that it prints`,
  );
}
