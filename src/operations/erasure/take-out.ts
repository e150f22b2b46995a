/**
 * The one path by which something is taken out of what is stored and published: plan, lock, forget in the state, take the view of the review desk away,
 * erase and seal, publish, purge, overwrite. A request makes a plan, which changes nothing, says what would go, and has the code that confirms exactly that. Each step
 * may be done twice: after a kill or a failure at any step the same request with the same code finishes.
 */

import { type ErasureResult, erase } from "../../intake/erasure/erase.ts";
import type { ErasurePlan } from "../../intake/erasure/erasure-plan.ts";
import { assertConfirmed, notConfirmed } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { State } from "../../state/open-state.ts";
import { type CommandContext, homeOf, openWriter, requiredState } from "../context.ts";
import { refreshDeskView, withoutDeskView } from "../desk/desk-view.ts";
import { failureText } from "../failure-text.ts";
import { dropAll } from "../inbox/kept.ts";
import { PUBLISH_LOCK, PUBLISH_WAIT_MS } from "../publish-lock.ts";
import { pruningText } from "../release.ts";
import { openCurrentWriter } from "../take-in.ts";
import type { PublishedErasure } from "./publish-erasure.ts";
import { forgetErased, noteErased, overwriteErased, type ToForget } from "./unfinished.ts";

/** What a command prints. */
export interface Shown {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly texts?: Readonly<Record<string, unknown>> | undefined; // in place of the fields of these names, for people
  readonly notes: readonly string[];
}

/** What would go. */
export interface Preview extends Shown {
  readonly code: string | null; // null: there is nothing to confirm
  readonly next: string; // says how to go on, and ends with the command without its code
}

/** What is to go from the ledger, for the operator to confirm. */
export interface Plan<Erased> extends Preview {
  readonly code: string;
  /** Nothing of it is a row, so that it goes without a code. */
  readonly needsNoCode?: boolean;
  readonly forgets: ToForget;
  /** All or nothing. Where it names rows, it seals them. */
  erase(): Erased;
}

/** What an operator asks to be taken out. */
export type Request<Erased> = LedgerRequest<Erased> | StateRequest;

/** It lies in the state alone: no row and no release has it. */
export interface StateRequest {
  readonly store: "state";
  plan(state: State, context: CommandContext): Promise<Preview>;
  /** All or nothing; nothing to erase is no fault, because an earlier run may have done it. Undefined for the code of something else. */
  erase(state: State, code: string, context: CommandContext): Promise<Shown | undefined>;
}

/** It lies in the ledger, and in what is made from it. */
export interface LedgerRequest<Erased> {
  readonly store: "ledger";
  /** Releases show it, so the public gets another one at once. */
  readonly isPublic: boolean;
  /** Whether the lines of finished days become rows before the plan is made. */
  readonly takesInFirst?: boolean;
  /** Throws OperatorError for what cannot be taken out, with the alternative. */
  plan(ledger: LedgerWriter): Plan<Erased>;
  /** What an earlier run with this code erased; undefined when none did. */
  doneBefore(ledger: LedgerWriter, code: string): Erased | undefined;
  /** What to tell when everything is done. */
  done(erased: Erased, published: PublishedErasure, context: CommandContext): Shown;
}

export type Step = "noted" | "forgotten" | "erased" | "published" | "purged" | "overwritten";

export interface Confirmation {
  readonly code: string | undefined; // of the plan that the operator has read
  readonly clock?: string | undefined; // as `--clock`
  /** Called after each step. */
  readonly after?: ((step: Step) => void) | undefined;
}

type Confirmed = Confirmation & { readonly after: (step: Step) => void };

/** Says what would go, and changes nothing of it. */
export async function preview(
  context: CommandContext,
  request: Request<unknown>,
  clock: string | undefined,
): Promise<Preview & { readonly needsNoCode?: boolean }> {
  if (request.store === "state") {
    await using state = await requiredState(context);
    return await request.plan(state, context);
  }
  using ledger = await opened(context, request, clock);
  return request.plan(ledger);
}

/** Takes out what the plan with this code names. Throws OperatorError when the plan has changed since, or when a step fails. */
export function takeOut<Erased>(
  context: CommandContext,
  request: Request<Erased>,
  { code, clock, after = () => undefined }: Confirmation,
): Promise<Shown> {
  return request.store === "state"
    ? takeOutOfState(context, request, { code, after })
    : takeOutOfLedger(context, request, { code, clock, after });
}

async function takeOutOfState(
  context: CommandContext,
  request: StateRequest,
  { code = "", after }: Confirmed,
): Promise<Shown> {
  await using state = await requiredState(context);
  const erased = await withoutDeskView(homeOf(context), () => request.erase(state, code, context));
  if (erased === undefined) throw notConfirmed(code, "what is stored");
  dropAll(homeOf(context));
  after("erased");
  const isCut = await state.subjects.compact();
  after("overwritten");
  await refreshDeskView(context);
  const { fields, notes } = erased;
  return { fields: { ...fields, write_ahead_log_cut: isCut }, notes: isCut ? notes : [NOT_CUT, ...notes] };
}

const NOT_CUT =
  "Another process reads the database all the time, so its write-ahead log could not be emptied: run the same command again.";

async function takeOutOfLedger<Erased>(
  context: CommandContext,
  request: LedgerRequest<Erased>,
  { code, clock, after }: Confirmed,
): Promise<Shown> {
  const erased = await eraseInLedger(context, request, { code, clock, after });
  const published = request.isPublic ? await publish(context, after) : { result: NOT_PUBLIC };
  await finish(context, clock);
  after("overwritten");
  await refreshDeskView(context, clock);
  if ("result" in published) {
    const { refused } = published.result;
    if (refused.length === 0) return request.done(erased, published.result, context);
    throw new OperatorError(
      `the values are erased in the ledger, and the published release no longer has them, but they are still on this disk: ${pruningText(refused)}`,
    );
  }
  throw new OperatorError(
    `the values are erased in the ledger, but the published release still has them: ${failureText(published.error)}. Solve that, then run the same command again`,
    { cause: published.error },
  );
}

/** Takes out rows whose night has come. The public no longer gets them from this night's release on. `overwriteErased` follows. */
export async function takeOutTonight(
  context: CommandContext,
  ledger: LedgerWriter,
  plan: ErasurePlan,
  after: (step: Step) => void = () => undefined,
): Promise<ErasureResult> {
  const forgets = { records: plan.records.map(({ public_id }) => public_id), rows: plan.rows };
  return await locked(context, () =>
    eraseNoted(context, { forgets, erase: () => erase(ledger, plan) }, after),
  );
}

const NOT_PUBLIC: PublishedErasure = { patch: undefined, purge: undefined, refused: [] };

/** Loads what builds releases, which other requests do without. */
async function publish(context: CommandContext, after: (step: Step) => void) {
  const { publishErasure } = await import("./publish-erasure.ts");
  return await publishErasure(context, after);
}

function opened(
  context: CommandContext,
  { takesInFirst = false }: LedgerRequest<unknown>,
  clock: string | undefined,
): LedgerWriter | Promise<LedgerWriter> {
  return takesInFirst ? openCurrentWriter(context, clock) : openWriter(context, clock);
}

/** A release that is being published now goes first: none that was built before the erasure follows it. */
async function locked<T>(context: CommandContext, work: () => Promise<T>): Promise<T> {
  using _lock = acquireLock(PUBLISH_LOCK(homeOf(context)), "publishing a release", PUBLISH_WAIT_MS);
  return await work();
}

async function eraseInLedger<Erased>(
  context: CommandContext,
  request: LedgerRequest<Erased>,
  { code, clock, after }: Confirmed,
): Promise<Erased> {
  using ledger = await opened(context, request, clock);
  try {
    return await locked(context, async () => {
      const done = code === undefined ? undefined : request.doneBefore(ledger, code);
      if (done !== undefined) return done;
      const plan = request.plan(ledger);
      if (plan.needsNoCode !== true) assertConfirmed(code, plan.code);
      const erased = await eraseNoted(context, plan, after);
      if (request.isPublic) context.stderr.write("erased     in the ledger and in the state\n");
      return erased;
    });
  } catch (error) {
    if (error instanceof OperatorError) overwriteErased(context, ledger); // what a killed run left
    throw error;
  }
}

/**
 * Under the lock of publishing, with the ledger's: nothing comes in meanwhile. Copies of delivered files may hold the values in any spelling, so all
 * of them go. The state goes before the ledger, because the ledger forgets the records when they are erased; after a kill both are done again.
 */
async function eraseNoted<Erased>(
  context: CommandContext,
  { forgets, erase }: Pick<Plan<Erased>, "forgets" | "erase">,
  after: (step: Step) => void,
): Promise<Erased> {
  noteErased(homeOf(context), forgets);
  dropAll(homeOf(context));
  after("noted");
  await forgetErased(context, { isBefore: true });
  after("forgotten");
  const erased = await withoutDeskView(homeOf(context), erase);
  after("erased");
  return erased;
}

/** Last, because overwriting takes seconds per gigabyte, which the public need not wait for. */
async function finish(context: CommandContext, clock: string | undefined): Promise<void> {
  await forgetErased(context);
  using ledger = openWriter(context, clock);
  overwriteErased(context, ledger);
}
