import { withoutRecord } from "../../delivery/email/messages.ts";
import { doneBefore, type ErasureResult, erase, finish } from "../../intake/erasure/erase.ts";
import type { ErasurePlan, ErasureRequest } from "../../intake/erasure/erasure-plan.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import { existingState } from "../existing-state.ts";
import { lockReleases } from "../release.ts";

/** What an erasure request comes down to, given the ledger. */
export type Planner = (ledger: LedgerWriter, request: ErasureRequest) => ErasurePlan;

export interface Confirmation {
  readonly code: string; // of the plan that the operator has read
  readonly clock: string | undefined; // as `--clock`
}

/**
 * Erases what the plan with this code names, and seals it. Throws OperatorError when the plan has changed since. After a kill the same call finishes
 * the erasure.
 */
export async function eraseConfirmed(
  context: CommandContext,
  request: ErasureRequest,
  plan: Planner,
  { code, clock }: Confirmation,
): Promise<ErasureResult> {
  using ledger = openWriter(context, clock);
  const lock = lockReleases(homeOf(context)); // a release built meanwhile would publish what is erased here
  try {
    const done = doneBefore(ledger, request, code);
    if (done !== undefined) return finish(ledger, done);
    const planned = confirmedPlan(ledger, request, code, plan);
    // First, because the ledger forgets the records when they are erased; after a kill the same code does both again.
    await forgetInState(context, planned);
    return erase(ledger, planned);
  } finally {
    lock.release();
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

/** Removes the erased records and rows from waiting deliveries, subscriptions, request counts and reports. */
async function forgetInState(context: CommandContext, { records, rows }: ErasurePlan): Promise<void> {
  await using state = await existingState(context);
  if (state === undefined) return;
  for (const { public_id } of records) await state.forgetRecord(public_id, withoutRecord(public_id));
  await state.reports.forgetRows(new Set(rows));
  await state.cutLog();
}
