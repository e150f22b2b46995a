import type { Command } from "commander";
import { currentRelease } from "../../../build/stages/publish.ts";
import type { DeliverySetup, EmailDelivery } from "../../../contract/accounts/delivery-setup.ts";
import type { DeliveryParts } from "../../../delivery/attempt.ts";
import { deliverDue, startDelivery } from "../../../delivery/deliver.ts";
import { deliveryParts } from "../../../delivery/delivery-parts.ts";
import { deliverySetup } from "../../../delivery/delivery-setup.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { jsonLog } from "../../../kernel/log.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { currentEnvironment } from "../../../operations/current-environment.ts";
import { existingState, requiredState } from "../../../operations/existing-state.ts";
import { matchDirectory } from "../../../operations/match-published.ts";
import type { State } from "../../../state/open-state.ts";

interface DeliverOptions {
  readonly once?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const NOTHING = { done: 0, retry: 0, dead: 0 };

export function defineDeliver(command: Command, context: CommandContext): void {
  command
    .option("--once", "end when nothing is due (default)")
    .option("--follow", "go on until SIGTERM or Ctrl-C")
    .option("--json", "print the summary as JSON")
    .action(async (options: DeliverOptions) => {
      if (options.once && options.follow)
        throw new OperatorError("--once and --follow: give one of them, or none");
      if (options.follow) await follow(context);
      else printResult(context, options.json, await once(context));
    });
}

async function once(context: CommandContext): Promise<Record<string, unknown>> {
  await using state = await existingState(context);
  const parts = partsOf(context);
  try {
    if (state !== undefined) await matchCurrent(context, state);
    const counts = state === undefined ? NOTHING : await deliverDue(state, parts);
    return {
      delivered: counts.done,
      to_try_again: counts.retry,
      given_up: counts.dead,
      mail: MAIL_WORDS[setupOf(context).email](context),
    };
  } finally {
    parts.mailer?.close();
  }
}

async function follow(context: CommandContext): Promise<void> {
  await using state = await requiredState(context);
  const parts = partsOf(context);
  await matchCurrent(context, state);
  const delivery = startDelivery(state, parts);
  context.stdout.write(
    `sending webhooks; mail: ${MAIL_WORDS[setupOf(context).email](context)} (Ctrl-C stops)\n`,
  );
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  await delivery.stop();
  parts.mailer?.close();
}

/** A build that was killed after it had published, or could not reach the state, left this to do. */
async function matchCurrent(context: CommandContext, state: State): Promise<void> {
  const directory = currentRelease(homeOf(context));
  if (directory !== undefined) await matchDirectory(state, directory);
}

function setupOf(context: CommandContext): DeliverySetup {
  return deliverySetup(context.config, currentEnvironment(homeOf(context)));
}

function partsOf(context: CommandContext): DeliveryParts {
  return deliveryParts(context.config, currentEnvironment(homeOf(context)), logOf(context));
}

const MAIL_WORDS: Readonly<Record<EmailDelivery, (context: CommandContext) => string>> = {
  sent: () => "on",
  written_to_files: (context) => `written to ${homeOf(context).email}`,
  waiting: () => "waits: SMTP_URL is not set",
};

function logOf(context: CommandContext) {
  return jsonLog(context.clock, (line) => context.stderr.write(line));
}
