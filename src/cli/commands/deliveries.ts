import { Option } from "@commander-js/extra-typings";
import { startDelivery } from "../../accounts/delivery/deliver.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import type { EmailDelivery } from "../../contract/accounts/delivery.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import {
  type CommandContext,
  existingState,
  fieldLines,
  homeOf,
  logOf,
  printLines,
  requiredState,
} from "../../operations/context.ts";
import { deliveryOf, matchDirectory, sendDue, setupOf } from "../../operations/delivery.ts";
import type { Delivery } from "../../state/delivery/outbox.ts";
import type { State } from "../../state/open-state.ts";
import { type Bare, command } from "../command.ts";
import { email, whole } from "../options.ts";
import { Output, shown } from "../output.ts";
import { untilStopped } from "../process.ts";

const deliver = command({
  path: "deliver",
  takes: (bare: Bare) =>
    bare
      .option("--once", "stop when nothing is due (default)")
      .option("--follow", "continue until SIGTERM or Ctrl-C"),
  access: "none",
  run({ context }, { once, follow }) {
    if (once && follow) throw new OperatorError("--once and --follow: give only one of them");
    return follow ? deliverOn(context) : deliverOnce(context);
  },
});

async function deliverOnce(context: CommandContext): Promise<Record<string, unknown>> {
  await using state = await existingState(context);
  if (state !== undefined) await matchCurrent(context, state);
  return { ...(await sendDue(context, state)), mail: emailText(context) };
}

async function deliverOn(context: CommandContext): Promise<undefined> {
  await using state = await requiredState(context);
  const deps = deliveryOf(context);
  await matchCurrent(context, state);
  const delivery = startDelivery(state, deps);
  printLines(context, [`sending webhooks; email: ${emailText(context)} (Ctrl-C stops)`]);
  const end = await Promise.race([untilStopped(), delivery.ended]);
  if (typeof end === "string") logOf(context).info("stopping", { signal: end });
  await delivery.stop();
  deps.mailer?.close();
  if (end instanceof Error) throw end;
  return undefined;
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

const KINDS = ["mail", "webhook"] as const;
const STATES = ["waiting", "leased", "done", "dead"] as const;
const MAX_LIST = 1000;

/** Payloads are never printed: they hold addresses and tokens. */
const listDeliveries = command({
  path: "outbox list",
  does: "list the newest deliveries, and count those of each kind",
  takes: (bare: Bare) =>
    bare
      .addOption(new Option("--state <state>", "only in this state").choices(STATES))
      .addOption(new Option("--kind <kind>", "only of this kind").choices(KINDS))
      .option("--target <id>", "only to this subscription or webhook")
      .option("--limit <number>", "maximum number of deliveries", whole("--limit", MAX_LIST), 50),
  access: "state",
  async run({ state }, filter) {
    const deliveries = await state.outbox.list(filter);
    const counts = await state.outbox.counts();
    return new Output({
      json: { counts, deliveries: deliveries.map(deliveryFields) },
      text: [...deliveries.map(deliveryLine), ...fieldLines(counts)],
    });
  },
});

const showDelivery = command({
  path: "outbox show",
  does: "show a delivery with every attempt",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "state",
  async run({ state }, _, id) {
    const delivery = await findDelivery(state, id);
    const attempts = await state.outbox.attempts(delivery.id);
    const tries = attempts.map(({ attemptedAt, durationMs, statusCode, error }) => ({
      at: isoTime(attemptedAt),
      duration_ms: durationMs,
      status: statusCode,
      error,
    }));
    return { ...deliveryFields(delivery), tries };
  },
});

const retry = command({
  path: "outbox retry",
  does: "send a finished delivery again, with the same id",
  takes: (bare: Bare) => bare.argument("<id>"),
  access: "state",
  async run({ state }, _, id) {
    const delivery = await findDelivery(state, id);
    if (!(await state.outbox.replay(delivery.id)))
      throw new OperatorError(
        `delivery ${id} is already waiting, or its content is deleted: see presence outbox show ${id}`,
      );
    return { retried: delivery.id, key: delivery.key };
  },
});

const cancel = command({
  path: "outbox cancel",
  does: "cancel all waiting deliveries to a subscription or webhook",
  takes: (bare: Bare) => bare.argument("<target>"),
  access: "state",
  async run({ state }, _, target) {
    const cancelled = await state.outbox.cancel(target, "cancelled by the operator");
    await state.cutLog();
    return { cancelled };
  },
});

async function findDelivery(state: State, text: string): Promise<Delivery> {
  const id = whole("<id>")(text);
  const [delivery] = await state.outbox.list({ beforeId: id + 1, limit: 1 });
  if (delivery?.id === id) return delivery;
  throw new OperatorError(`no delivery ${text}: see presence outbox list`);
}

function deliveryLine({ id, state, tries, target, key, lastError }: Delivery): string {
  return `${id}  ${state}  ${tries} tries  ${target}  ${key}  ${lastError ?? ""}`;
}

function deliveryFields(delivery: Delivery) {
  return {
    ...shown(delivery, "id", "key", "kind", "target", "state"),
    tries_now: delivery.tries,
    ...shown(delivery, "dueAt", "lastError", "createdAt", "finishedAt"),
  };
}

const suppress = command({
  path: "suppress",
  takes: (bare: Bare) =>
    bare.argument("<address>", "", email("<address>")).option("--allow", "remove the address from the list"),
  access: "new state",
  async run({ state }, { allow }, address) {
    if (!allow) await state.subscriptions.suppress(address, "operator");
    else if (!(await state.subscriptions.allow(address)))
      throw new OperatorError("<address>: the address is not on the list");
    return { suppressed: !allow };
  },
});

export const commands = [deliver, listDeliveries, showDelivery, retry, cancel, suppress];
