/** How a command is declared. `run-command.ts` adds the common options and guards, opens what the command needs, and prints what it returns. */

import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { LedgerReader } from "../ledger/reader.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { CommandContext } from "../operations/context.ts";
import type { State } from "../state/open-state.ts";
import type { Result } from "./output.ts";
import { runCommand } from "./run-command.ts";

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
