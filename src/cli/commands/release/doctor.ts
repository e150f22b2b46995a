import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf } from "../../../operations/context.ts";
import { type Diagnosis, examine } from "../../../operations/doctor/examine.ts";
import { existingState } from "../../../operations/existing-state.ts";

export function defineDoctor(command: Command, context: CommandContext): void {
  command
    .option("--json", "print all checks as JSON")
    .addHelpText("after", "\nExit code 0: all is well. 1: there is something to mend.")
    .action((options: { json?: boolean }) => doctor(context, options.json));
}

async function doctor(context: CommandContext, json: boolean | undefined): Promise<void> {
  const diagnoses = await examine({
    config: context.config,
    home: homeOf(context),
    now: context.clock(),
    freeBytes,
    openState: () => existingState(context),
  });
  if (json === true) context.stdout.write(`${JSON.stringify({ checks: diagnoses })}\n`);
  else
    for (const line of diagnoses.flatMap((diagnosis) => [...plainLines(diagnosis)]))
      context.stdout.write(`${line}\n`);
  const found = diagnoses.reduce((sum, { findings }) => sum + findings.length, 0);
  if (found > 0) throw new OperatorError(`${found} ${found === 1 ? "thing" : "things"} to mend`);
}

function* plainLines({ check, findings }: Diagnosis): Generator<string> {
  if (findings.length === 0) yield `ok     ${check}`;
  for (const { problem, mend } of findings) {
    yield `MEND   ${check}: ${problem}`;
    yield `       ${mend}`;
  }
}

function freeBytes(path: string): number {
  if (!existsSync(path)) return freeBytes(dirname(path));
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
