import type { Command } from "commander";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { requiredState } from "../../../operations/existing-state.ts";
import type { State } from "../../../state/open-state.ts";
import type { Delivery } from "../../../state/outbox/outbox-items.ts";
import { wholeNumber } from "../../whole-number.ts";

const KINDS = ["mail", "webhook"] as const;
const STATES = ["waiting", "leased", "done", "dead"] as const;
const MAX_LIST = 1000;

interface ListOptions {
  readonly state?: string;
  readonly kind?: string;
  readonly target?: string;
  readonly limit: string;
  readonly json?: boolean;
}

/** To look at what is sent. Addresses and tokens are in the payloads, and payloads are not shown. */
export function defineOutbox(outbox: Command, context: CommandContext): void {
  outbox
    .command("list")
    .description("the newest deliveries, and how many there are of each kind")
    .option("--state <state>", `one of ${STATES.join(", ")}`)
    .option("--kind <kind>", `one of ${KINDS.join(", ")}`)
    .option("--target <id>", "to this subscription or webhook alone")
    .option("--limit <number>", "how many at most", "50")
    .option("--json", "print them as JSON")
    .action((options: ListOptions) => withState(context, (state) => list(context, state, options)));
  outbox
    .command("show <id>")
    .description("a delivery with every try")
    .option("--json", "print it as JSON")
    .action((id: string, { json }: { json?: boolean }) =>
      withState(context, async (state) => {
        const delivery = await found(state, id);
        const attempts = (await state.outbox.attempts(delivery.id)).map(
          ({ attemptedAt, durationMs, statusCode, error }) => ({
            at: isoTime(attemptedAt),
            duration_ms: durationMs,
            status: statusCode,
            error,
          }),
        );
        printResult(context, json, { ...shown(delivery), tries: attempts });
      }),
    );
  outbox
    .command("retry <id>")
    .description("deliver once more what was given up or delivered, with the same id; it is due at once")
    .option("--json", "print it as JSON")
    .action((id: string, { json }: { json?: boolean }) =>
      withState(context, async (state) => {
        const { id: known, key } = await found(state, id);
        if (!(await state.outbox.replay(known)))
          throw new OperatorError(
            `delivery ${id}: it waits already, or its content is gone: see presence outbox show ${id}`,
          );
        printResult(context, json, { retried: known, key });
      }),
    );
  outbox
    .command("cancel <target>")
    .description("drop all that waits for a subscription or webhook")
    .option("--json", "print the number as JSON")
    .action((target: string, { json }: { json?: boolean }) =>
      withState(context, async (state) => {
        printResult(context, json, {
          cancelled: await state.outbox.cancel(target, "cancelled by the operator"),
        });
      }),
    );
}

async function withState(context: CommandContext, work: (state: State) => Promise<void>): Promise<void> {
  await using state = await requiredState(context);
  await work(state);
}

async function list(context: CommandContext, state: State, options: ListOptions): Promise<void> {
  const limit = wholeNumber(options.limit, "--limit");
  if (limit > MAX_LIST) throw new OperatorError(`--limit ${options.limit}: at most ${MAX_LIST}`);
  const deliveries = await state.outbox.list({
    ...(options.state !== undefined && { state: oneOf(STATES, options.state, "--state") }),
    ...(options.kind !== undefined && { kind: oneOf(KINDS, options.kind, "--kind") }),
    ...(options.target !== undefined && { target: options.target }),
    limit,
  });
  const counts = await state.outbox.counts();
  if (options.json) printResult(context, true, { counts, deliveries: deliveries.map(shown) });
  else {
    for (const { id, state, tries, target, key, lastError } of deliveries)
      context.stdout.write(`${id}  ${state}  ${tries} tries  ${target}  ${key}  ${lastError ?? ""}\n`);
    printResult(context, false, counts);
  }
}

function oneOf<T extends string>(allowed: readonly T[], given: string, option: string): T {
  const found = allowed.find((one) => one === given);
  if (found === undefined) throw new OperatorError(`${option} ${given}: give one of ${allowed.join(", ")}`);
  return found;
}

async function found(state: State, id: string): Promise<Delivery> {
  const known = wholeNumber(id, "<id>");
  const [delivery] = await state.outbox.list({ beforeId: known + 1, limit: 1 });
  if (delivery?.id === known) return delivery;
  throw new OperatorError(`no delivery ${id}: see presence outbox list`);
}

function shown(delivery: Delivery) {
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
