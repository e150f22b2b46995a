import type { Command } from "@commander-js/extra-typings";
import { planRedaction } from "../../../intake/erasure/erasure-plan.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { runErasure, withErasureOptions } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  withErasureOptions(command.argument("<row>")).action((target, options) =>
    runErasure(context, { kind: "redaction", target, reason: options.reason }, options, planRedaction),
  );
}
