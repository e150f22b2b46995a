import type { Command } from "@commander-js/extra-typings";
import { planOptOut } from "../../../intake/erasure/erasure-plan.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { runErasure, withErasureOptions } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  withErasureOptions(command.argument("<public-id>")).action((target, options) =>
    runErasure(context, { kind: "opt_out", target, reason: options.reason }, options, planOptOut),
  );
}
