import type { OptionValues } from "@commander-js/extra-typings";
import { type Command, Option } from "@commander-js/extra-typings";
import type { RedactionReason } from "../contract/enums.ts";
import { type CommandContext, printJson, printLines, printResult } from "../operations/context.ts";
import { preview, type Request, type Shown, takeOut } from "../operations/erasure/take-out.ts";
import { CLOCK_OPTION, JSON_OPTION } from "./command.ts";

export interface TakeOutOptions {
  readonly confirm?: string | undefined;
  readonly clock?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The options of `presence redact` and `presence opt-out`, which erase only with the code that the preview prints. */
export function withErasureOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
  reasons: readonly RedactionReason[],
) {
  return command
    .addOption(
      new Option("--reason <code>", "stays private; published as a count by month, from three on")
        .choices(reasons)
        .makeOptionMandatory(),
    )
    .option("--confirm <code>", "erase for good; without it, only preview the erasure and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION);
}

/** Prints what would go and the code that confirms it; with that code, takes it out. */
export async function runTakeOut<Erased>(
  context: CommandContext,
  request: Request<Erased>,
  { confirm, clock, json = false }: TakeOutOptions,
): Promise<void> {
  if (confirm === undefined) {
    const { needsNoCode, code, next, ...shown } = await preview(context, request, clock);
    if (needsNoCode !== true) {
      print(context, json, shown, { confirm: code });
      if (!json && code !== null) printLines(context, ["", `${next} --confirm ${code}`]);
      return;
    }
  }
  print(context, json, await takeOut(context, request, { code: confirm, clock }));
  if (request.store === "state" || !request.isPublic) return;
  const { stampCheckpoints } = await import("../operations/night/seal-and-stamp.ts");
  await stampCheckpoints(context, clock);
}

function print(
  context: CommandContext,
  json: boolean,
  { fields, texts, notes }: Shown,
  code: { readonly confirm?: string | null } = {},
): void {
  if (json) {
    printJson(context, { ...fields, ...code, ...(notes.length > 0 && { notes }) });
    return;
  }
  printResult(context, false, { ...fields, ...texts });
  if (notes.length > 0) printLines(context, ["", ...notes.map((note) => `- ${note}`)]);
}
