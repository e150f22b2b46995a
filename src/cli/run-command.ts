/** Runs a declared command: common options, guards, what it opens, its two steps, and what it prints. */

import type { Command, CommandUnknownOpts, OptionValues } from "@commander-js/extra-typings";
import { z } from "zod";
import { withProgress } from "../build/progress.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import type { ClockOptions } from "../operations/clock/accept-clock.ts";
import { type CommandContext, homeOf, openWriter } from "../operations/context.ts";
import { existingState, requiredState, stateOf } from "../operations/existing-state.ts";
import type { Access, Call, Declaration, Results, Typed } from "./command.ts";
import { Preview, printed, type Result } from "./output.ts";

const CommonOptions = z.looseObject({
  json: z.boolean().default(false),
  clock: z.string().optional(),
  acceptClock: z.string().optional(),
  confirm: z.string().optional(),
});

/** Adds the common options to a command, and its action. */
export function runCommand<A extends unknown[], O extends OptionValues, L extends keyof Access>(
  command: Command,
  typed: Typed<A, O>,
  context: CommandContext,
  declaration: Declaration<A, O, L>,
): void {
  addOptions(command, declaration);
  command.action(async () => {
    const { json, clock, acceptClock, confirm } = CommonOptions.parse(command.opts());
    if (declaration.clock === "writes rows") await checkClock(context, { clock, acceptClock });
    const work = await handlerOf(typed, context, declaration);
    await using opened = new AsyncDisposableStack();
    const call: Call<L> = {
      ...(await OPENERS[declaration.access]({ context, clock, opened })),
      ...{ context, json, clock, confirm },
      progress: (label, work) => withProgress(context, label, work),
    };
    for await (const result of eachOf(work(call))) {
      const isConfirmed = result instanceof Preview && confirm !== undefined;
      printed(context, json, isConfirmed ? await result.confirm(confirm) : result);
    }
  });
}

function addOptions(
  command: CommandUnknownOpts,
  {
    clock,
    confirm,
    json = "print the result as JSON",
  }: Pick<Declaration<[], OptionValues, "none">, "clock" | "confirm" | "json">,
): void {
  if (confirm !== undefined) command.option("--confirm <code>", confirm);
  if (clock === "writes rows")
    command.option("--clock <time>", "time of the ledger rows; not for production ledgers");
  if (clock === "reads") command.option("--clock <time>", "list as of this time; not for production ledgers");
  if (json !== false) command.option("--json", json);
  if (clock === "writes rows")
    command.option(
      "--accept-clock <date>",
      "write although the clock is far ahead; the clock's own UTC date (2026-01-31)",
    );
}

async function checkClock(context: CommandContext, options: ClockOptions): Promise<void> {
  const { acceptClock } = await import("../operations/clock/accept-clock.ts");
  await acceptClock(context, options);
}

async function handlerOf<A extends unknown[], O extends OptionValues, L extends keyof Access>(
  typed: Typed<A, O>,
  context: CommandContext,
  declaration: Declaration<A, O, L>,
): Promise<(call: Call<L>) => Results> {
  const options = typed.opts();
  const args = typed.processedArgs;
  const { prepare, run } = declaration;
  return (await prepare?.(context, options, ...args)) ?? ((call) => run?.(call, options, ...args));
}

async function* eachOf(results: Results): AsyncGenerator<Result> {
  if (results !== undefined && Symbol.asyncIterator in results) yield* results;
  else yield await results;
}

interface Opening {
  readonly context: CommandContext;
  readonly clock: string | undefined;
  /** Closes what was opened when the command ends. */
  readonly opened: AsyncDisposableStack;
}

/** Modules of the state are half of a small command's: `existing-state.ts` loads them where there is a state. */
const OPENERS: { readonly [L in keyof Access]: (opening: Opening) => Access[L] | Promise<Access[L]> } = {
  none: () => ({}),
  read: ({ context, opened }) => ({ ledger: opened.use(openLedgerReader(homeOf(context).ledger)) }),
  write: ({ context, clock, opened }) => ({ ledger: opened.use(openWriter(context, clock)) }),
  async append({ context, clock, opened }) {
    const { openCurrentWriter } = await import("../operations/take-in.ts");
    return { ledger: opened.use(await openCurrentWriter(context, clock)) };
  },
  state: async ({ context, opened }) => ({ state: opened.use(await requiredState(context)) }),
  "state if any": async ({ context, opened }) => ({ state: opened.use(await existingState(context)) }),
  "new state": async ({ context, opened }) => ({ state: opened.use(await stateOf(context)) }),
};
