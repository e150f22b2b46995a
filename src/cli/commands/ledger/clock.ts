import type { Command } from "@commander-js/extra-typings";
import { isoTime } from "../../../kernel/time.ts";
import { correctClock } from "../../../operations/clock/correct-clock.ts";
import { newestKnownTime } from "../../../operations/clock/known-times.ts";
import { fetchSecurely, referenceTime } from "../../../operations/clock/reference-time.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

export function define(clock: Command, context: CommandContext): void {
  clock
    .command("show")
    .description(
      "print the clock, the time of others (TSA_URL, TIME_URL) and the newest time that the service knows",
    )
    .option(...JSON_OPTION)
    .action(({ json }) => show(context, json));

  clock
    .command("correct")
    .description("lead a ledger whose last row lies in the future back to the clock, by a row that says so")
    .requiredOption("--from <date>", "UTC date of the last row, typed in")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(({ from, clock, json }) => {
      printResult(context, json, { ...correctClock(context, { from, clock }) });
      context.stderr.write("run `presence seal --now` or `presence nightly`: the next seal covers the row\n");
    });
}

async function show(context: CommandContext, json: boolean | undefined): Promise<void> {
  const { config, random } = context;
  const reference = await referenceTime({ config, random, fetch: fetchSecurely });
  const known = await newestKnownTime(context);
  printResult(context, json, {
    clock: isoTime(context.clock()),
    reference: reference && `${isoTime(reference.at)} (${reference.from})`,
    newest_known: known && `${isoTime(known.at)} (${known.what})`,
  });
}
