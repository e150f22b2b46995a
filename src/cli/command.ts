/** How a command is declared, and the one runner: it adds the common options and guards, opens what the command needs, and prints what it returns. */

import { existsSync } from "node:fs";
import type { Command, CommandUnknownOpts, OptionValues } from "@commander-js/extra-typings";
import { z } from "zod";
import { withProgress } from "../build/reporter.ts";
import { deskPaths } from "../kernel/home.ts";
import { typedId } from "../kernel/text/typed-id.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { ClockOptions } from "../operations/clock.ts";
import {
  type CommandContext,
  existingState,
  homeOf,
  openWriter,
  requiredState,
  stateOf,
} from "../operations/context.ts";
import { failureText } from "../operations/failure-text.ts";
import type { State } from "../state/open-state.ts";
import { Preview, printed, type Result } from "./output.ts";

/** What a command can have opened for it. Only `write` and `append` take the writer's lock. */
export interface Access {
  readonly none: object;
  readonly read: { readonly ledger: LedgerReader };
  readonly write: { readonly ledger: LedgerWriter };
  /** A writer that first takes in the accepted lines of finished days. */
  readonly append: { readonly ledger: LedgerWriter };
  /** Refuses where there is no state yet. */
  readonly state: { readonly state: State };
  readonly "state if any": { readonly state: State | undefined };
  /** Makes the state where there is none. */
  readonly "new state": { readonly state: State };
}

/** What a handler works with. */
export type Call<L extends keyof Access> = Access[L] & {
  readonly context: CommandContext;
  readonly json: boolean;
  readonly clock: string | undefined; // `--clock`
  readonly confirm: string | undefined; // `--confirm`
  /** Runs `work` with a progress bar where there is a terminal. */
  progress<T>(
    label: string,
    work: (update: (done: number, total: number) => void) => T | Promise<T>,
  ): Promise<T>;
};

/** A command without arguments and options. */
export type Bare = Command;

/** What was typed. A command of commander has it. */
export interface Typed<A extends unknown[], O extends OptionValues> {
  readonly processedArgs: A;
  opts(): O;
}

/** What to print; a generator prints one result after the other. */
export type Results = Result | Promise<Result> | AsyncGenerator<Result>;

export interface Declaration<A extends unknown[], O extends OptionValues, L extends keyof Access> {
  /** Its words after `presence`. */
  readonly path: string;
  /** Its line in the help; that of a command of one word is in the table of commands. */
  readonly does?: string;
  /** Its own arguments and options. A function must name the type of its parameter, or its result is not inferred. */
  readonly takes: (bare: Bare) => Typed<A, O>;
  /** Printed after its help. */
  readonly help?: string;
  readonly access: L;
  /** It takes `--clock`; one that writes rows has the clock checked first. */
  readonly clock?: "writes rows" | "reads";
  /** What `--confirm` does, of a command in two steps: without it, it returns a `Preview`. */
  readonly confirm?: string;
  /** What `--json` prints, where this is not the result; false for a command without it. */
  readonly json?: string | false;
  readonly run?: (call: Call<L>, options: O, ...args: A) => Results;
  /** In place of `run`, for what has to be read and checked before anything is opened: returns what follows. */
  readonly prepare?: (
    context: CommandContext,
    options: O,
    ...args: A
  ) => ((call: Call<L>) => Results) | Promise<(call: Call<L>) => Results>;
}

/** A command, or the help of a family of commands, that can be added to the command line. */
export interface Declared {
  readonly path: string;
  readonly does: string | undefined;
  attach(bare: Command, context: CommandContext): void;
}

export function command<A extends unknown[], O extends OptionValues, L extends keyof Access>(
  declaration: Declaration<A, O, L>,
): Declared {
  const { path, does, help, takes } = declaration;
  return {
    path,
    does,
    attach(bare, context) {
      runCommand(bare, takes(bare), context, declaration);
      if (help !== undefined) bare.addHelpText("after", help);
    },
  };
}

/** The help of a word that several commands begin with. */
export function family(path: string, { does, help }: { does?: string; help?: string }): Declared {
  return {
    path,
    does,
    attach(bare) {
      if (help !== undefined) bare.addHelpText("after", help);
    },
  };
}

/** For `takes`: no arguments and options of its own. */
export function nothing(bare: Bare): Bare {
  return bare;
}

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
  acceptPrintedIds(command);
  command.action(async () => {
    const { json, clock, acceptClock, confirm } = CommonOptions.parse(command.opts());
    if (declaration.clock === "writes rows") await checkClock(context, { clock, acceptClock });
    const work = await handlerOf(typed, context, declaration);
    const isDone = await perform(work, { context, clock, json, confirm }, declaration.access);
    if (isDone && changesQueue(declaration)) await followQueue(context, clock);
  });
}

type Asked = Pick<Call<"none">, "context" | "clock" | "json" | "confirm">;

/** Opens what the command needs, runs it, prints what it returns, and closes. False where it only previewed. */
async function perform<L extends keyof Access>(
  work: (call: Call<L>) => Results,
  asked: Asked,
  access: L,
): Promise<boolean> {
  let isDone = true;
  const { context, clock, json, confirm } = asked;
  await using opened = new AsyncDisposableStack();
  const call: Call<L> = {
    ...(await OPENERS[access]({ context, clock, opened })),
    ...asked,
    progress: (label, work) => withProgress(context, label, work),
  };
  for await (const result of eachOf(work(call))) {
    const isConfirmed = result instanceof Preview && confirm !== undefined;
    isDone = isConfirmed || !(result instanceof Preview);
    printed(context, json, isConfirmed ? await result.confirm(confirm) : result);
  }
  return isDone;
}

type Writing = Pick<Declaration<[], OptionValues, "none">, "clock"> & { readonly access: keyof Access };

/** Commands that open the ledger themselves write the view, too, where they change what waits. */
function changesQueue({ clock, access }: Writing): boolean {
  return clock === "writes rows" && access !== "none";
}

/** The command has done its work: a view that cannot be written is told, and the next one replaces it. */
async function followQueue(context: CommandContext, clock: string | undefined): Promise<void> {
  if (!existsSync(deskPaths(homeOf(context)).view)) return;
  const { refreshDeskView } = await import("../operations/desk/desk-view.ts");
  try {
    await refreshDeskView(context, clock);
  } catch (error) {
    context.stderr.write(
      `the review desk still has the queue from before: ${failureText(error)}. Run \`presence desk view\`\n`,
    );
  }
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

/** Names of arguments and options that name something of the ledger. */
const IDS: ReadonlySet<string> = new Set([
  ...["row", "item", "record", "asset", "public-id", "target", "batch", "other"],
]);

/** Lets these be typed in every form in which they are printed. */
function acceptPrintedIds({ registeredArguments, options }: CommandUnknownOpts): void {
  const named = [
    ...registeredArguments.filter((each) => IDS.has(each.name())),
    ...options.filter(({ flags }) => IDS.has(/<([a-z-]+)>/.exec(flags)?.[1] ?? "")),
  ];
  for (const each of named) {
    const { parseArg } = each;
    each.argParser((text: string, before: unknown) => {
      const id = typedId(text);
      if (parseArg !== undefined) return parseArg(id, before);
      return each.variadic ? [...(Array.isArray(before) ? before : []), id] : id;
    });
  }
}

async function checkClock(context: CommandContext, options: ClockOptions): Promise<void> {
  const { acceptClock } = await import("../operations/clock.ts");
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

/** Modules of the state are half of a small command's: `existingState` loads them where there is a state. */
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
