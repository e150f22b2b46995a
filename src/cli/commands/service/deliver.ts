import type { Command } from "@commander-js/extra-typings";
import { currentRelease } from "../../../build/stages/publish.ts";
import type { EmailDelivery } from "../../../contract/accounts/delivery.ts";
import { startDelivery } from "../../../delivery/deliver.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, printLines, printResult } from "../../../operations/context.ts";
import { deliveryOf, sendDue, setupOf } from "../../../operations/delivery.ts";
import { existingState, requiredState } from "../../../operations/existing-state.ts";
import { matchDirectory } from "../../../operations/match-published.ts";
import type { State } from "../../../state/open-state.ts";
import { JSON_OPTION, untilStopped } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .option("--once", "end when nothing is due (default)")
    .option("--follow", "continue until SIGTERM or Ctrl-C")
    .option(...JSON_OPTION)
    .action(async ({ once, follow, json }) => {
      if (once && follow) throw new OperatorError("--once and --follow: give only one of them");
      if (follow) await deliverOn(context);
      else printResult(context, json, await deliverOnce(context));
    });
}

async function deliverOnce(context: CommandContext): Promise<Record<string, unknown>> {
  await using state = await existingState(context);
  if (state !== undefined) await matchCurrent(context, state);
  return { ...(await sendDue(context, state)), mail: emailText(context) };
}

async function deliverOn(context: CommandContext): Promise<void> {
  await using state = await requiredState(context);
  const deps = deliveryOf(context);
  await matchCurrent(context, state);
  const delivery = startDelivery(state, deps);
  printLines(context, [`sending webhooks; email: ${emailText(context)} (Ctrl-C stops)`]);
  const loss = await Promise.race([untilStopped(), delivery.ended]);
  await delivery.stop();
  deps.mailer?.close();
  if (loss instanceof Error) throw loss;
}

/** Matches a release whose build was killed after publishing, or could not reach the state. */
async function matchCurrent(context: CommandContext, state: State): Promise<void> {
  const directory = currentRelease(homeOf(context));
  if (directory !== undefined) await matchDirectory(state, directory);
}

function emailText(context: CommandContext): string {
  const texts: Readonly<Record<EmailDelivery, string>> = {
    sent: "on",
    written_to_files: `written to ${homeOf(context).email}`,
    waiting: "waits: SMTP_URL is not set",
  };
  return texts[setupOf(context).email];
}
