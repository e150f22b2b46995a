import { type Command, Option } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, printLines, printResult } from "../../../operations/context.ts";
import { requiredState } from "../../../operations/existing-state.ts";
import type { State } from "../../../state/open-state.ts";
import type { Delivery } from "../../../state/outbox/outbox-items.ts";
import { JSON_OPTION, whole } from "../../command.ts";

const KINDS = ["mail", "webhook"] as const;
const STATES = ["waiting", "leased", "done", "dead"] as const;
const MAX_LIST = 1000;

/** Payloads are never printed: they hold addresses and tokens. */
export function define(outbox: Command, context: CommandContext): void {
  defineReading(outbox, context);
  outbox
    .command("retry <id>")
    .description("make a finished delivery due again, with the same id")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await requiredState(context);
      const delivery = await findDelivery(state, id);
      if (!(await state.outbox.replay(delivery.id)))
        throw new OperatorError(
          `delivery ${id} is already waiting, or its content is deleted: see presence outbox show ${id}`,
        );
      printResult(context, json, { retried: delivery.id, key: delivery.key });
    });
  outbox
    .command("cancel <target>")
    .description("drop all waiting deliveries to a subscription or webhook")
    .option(...JSON_OPTION)
    .action(async (target, { json }) => {
      await using state = await requiredState(context);
      const cancelled = await state.outbox.cancel(target, "cancelled by the operator");
      await state.cutLog();
      printResult(context, json, { cancelled });
    });
}

function defineReading(outbox: Command, context: CommandContext): void {
  outbox
    .command("list")
    .description("list the newest deliveries, and count those of each kind")
    .addOption(new Option("--state <state>", "only in this state").choices(STATES))
    .addOption(new Option("--kind <kind>", "only of this kind").choices(KINDS))
    .option("--target <id>", "only to this subscription or webhook")
    .option("--limit <number>", "maximum number of deliveries", whole("--limit", MAX_LIST), 50)
    .option(...JSON_OPTION)
    .action(async ({ json, ...filter }) => {
      await using state = await requiredState(context);
      const deliveries = await state.outbox.list(filter);
      const counts = await state.outbox.counts();
      if (json) printResult(context, true, { counts, deliveries: deliveries.map(deliveryFields) });
      else {
        printLines(context, deliveries.map(deliveryLine));
        printResult(context, false, counts);
      }
    });
  outbox
    .command("show <id>")
    .description("show a delivery with every attempt")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await requiredState(context);
      const delivery = await findDelivery(state, id);
      const attempts = await state.outbox.attempts(delivery.id);
      const tries = attempts.map(({ attemptedAt, durationMs, statusCode, error }) => ({
        at: isoTime(attemptedAt),
        duration_ms: durationMs,
        status: statusCode,
        error,
      }));
      printResult(context, json, { ...deliveryFields(delivery), tries });
    });
}

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
  const { id, key, kind, target, state, tries, dueAt, lastError, createdAt, finishedAt } = delivery;
  const time = (ms: number | null) => (ms === null ? null : isoTime(ms));
  return {
    id,
    key,
    kind,
    target,
    state,
    tries_now: tries,
    due_at: time(dueAt),
    last_error: lastError,
    created_at: time(createdAt),
    finished_at: time(finishedAt),
  };
}
