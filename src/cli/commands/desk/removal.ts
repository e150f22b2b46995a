import { text } from "node:stream/consumers";
import { type Command, Option } from "@commander-js/extra-typings";
import { RemovalOutcome } from "../../../contract/accounts/removals.ts";
import { RemovalReasonCode } from "../../../contract/enums.ts";
import { REMOVAL } from "../../../contract/limits.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, printJson, printLines, printResult } from "../../../operations/context.ts";
import { existingState, requiredState } from "../../../operations/existing-state.ts";
import { reviewerRole } from "../../../review/reasons.ts";
import type { State } from "../../../state/open-state.ts";
import type { Removal } from "../../../state/removals/removal-row.ts";
import { JSON_OPTION } from "../../command.ts";

/** Where a code comes from that a business has named: standard input, because other users see a command line. */
export type ReadSecret = () => Promise<string>;

export function define(removal: Command, context: CommandContext): void {
  defineRemoval(removal, context, () => text(process.stdin));
}

export function defineRemoval(removal: Command, context: CommandContext, readCode: ReadSecret): void {
  removal
    .command("list")
    .description("list requests that await a code or a decision, the longest waiting first")
    .option("--all", "include unproven and decided requests")
    .option("--json", "print one request per line, as JSON")
    .action(async ({ all, json }) => {
      await using state = await existingState(context);
      const found = (await state?.removals.list(all)) ?? [];
      printLines(
        context,
        found.map((each) => (json ? JSON.stringify(removalFields(each)) : removalLine(each))),
      );
      if (found.length === 0) context.stderr.write("no requests\n");
    });
  removal
    .command("show <id>")
    .description("show a request and the command that carries it out")
    .option(...JSON_OPTION)
    .action((id, { json }) => showRemoval(context, id, json));
  removal
    .command("issue-code <id>")
    .description("make a code for a request, to be sent by post or told by phone; it is printed this once")
    .option(...JSON_OPTION)
    .action((id, { json }) => issueCode(context, id, json));
  removal
    .command("enter-code <id>")
    .description("read the code that a business named from standard input, and prove the request with it")
    .addOption(
      new Option("--reason <code>", "the reason that the business gave")
        .choices(RemovalReasonCode.options)
        .makeOptionMandatory(),
    )
    .option(...JSON_OPTION)
    .action((id, { reason, json }) => enterCode(context, { id, reason, json, readCode }));
  removal
    .command("resolve <id>")
    .description("record the decision about a request; an opt-out records its own")
    .addOption(
      new Option("--outcome <outcome>", "the outcome").choices(RemovalOutcome.options).makeOptionMandatory(),
    )
    .requiredOption("--as <role>", "role of the reviewer (privacy-desk), never a person")
    .option(...JSON_OPTION)
    .action((id, { outcome, as, json }) => resolveRemoval(context, { id, outcome, as, json }));
}

async function showRemoval(context: CommandContext, id: string, json: boolean | undefined): Promise<void> {
  await using state = await requiredState(context);
  const removal = await findRemoval(state, id);
  printResult(context, json, removalFields(removal));
  if (json === true) return;
  const { status, record, reason } = removal;
  if (status === "requested" && record !== null)
    context.stderr.write(`to carry it out: presence opt-out ${record} --reason ${reason}\n`);
}

async function issueCode(context: CommandContext, id: string, json: boolean | undefined): Promise<void> {
  await using state = await requiredState(context);
  const removal = await findRemoval(state, id);
  const code = await state.removals.issueCode(id);
  if (code === undefined)
    throw new OperatorError(`request ${id}: it is ${removal.status}, so it takes no code`);
  if (json === true) {
    printJson(context, { ...removalFields(removal), code });
    return;
  }
  printLines(context, [code]);
  context.stderr.write(
    `Send it to an address, or tell it to a phone number, that you know to be the business's from elsewhere: not one that the request names. It is valid for ${REMOVAL.codeDays} days. When the business names it: presence removal enter-code ${id} --reason owner_request\n`,
  );
}

interface EnteredCode {
  readonly id: string;
  readonly reason: RemovalReasonCode;
  readonly json: boolean | undefined;
  readonly readCode: ReadSecret;
}

async function enterCode(
  context: CommandContext,
  { id, reason, json, readCode }: EnteredCode,
): Promise<void> {
  await using state = await requiredState(context);
  await findRemoval(state, id);
  context.stderr.write("Type the code, then end the input (Ctrl-D):\n");
  const result = await state.removals.enterCode(id, await readCode());
  if (result === "wrong_code")
    throw new OperatorError(
      `request ${id}: this is not its code; after ${REMOVAL.codeAttempts} wrong ones it is void: issue another`,
    );
  if (result === "no_code")
    throw new OperatorError(`request ${id}: it has no valid code: presence removal issue-code ${id}`);
  const sent = await state.removals.request(id, reason);
  printResult(context, json, removalFields(sent ?? (await findRemoval(state, id))));
}

interface Decision {
  readonly id: string;
  readonly outcome: RemovalOutcome;
  readonly as: string;
  readonly json: boolean | undefined;
}

async function resolveRemoval(context: CommandContext, { id, outcome, as, json }: Decision): Promise<void> {
  const role = reviewerRole(as);
  await using state = await requiredState(context);
  const { status } = await findRemoval(state, id);
  const resolved = await state.removals.resolve(id, outcome, role);
  if (resolved === undefined) throw new OperatorError(`request ${id}: it was decided already (${status})`);
  printResult(context, json, removalFields(resolved));
}

async function findRemoval(state: State, id: string): Promise<Removal> {
  const removal = await state.removals.get(id);
  if (removal !== undefined) return removal;
  throw new OperatorError(`no request ${id.slice(0, 80)}: see presence removal list --all`);
}

function removalFields(removal: Removal) {
  const { publicId, status, record, proof, createdAt, provenAt, provenBy, reason, requestedAt } = removal;
  return {
    request: publicId,
    status,
    record,
    proof,
    created_at: isoTime(createdAt),
    proven_at: timeOrNull(provenAt),
    proven_by: provenBy,
    reason,
    requested_at: timeOrNull(requestedAt),
    has_code: removal.hasCode,
    resolved_at: timeOrNull(removal.resolvedAt),
    resolved_by: removal.resolvedBy,
  };
}

function removalLine({ publicId, status, createdAt, record, proof, provenBy, hasCode }: Removal): string {
  const proofWords =
    provenBy === null ? (hasCode ? "code issued" : `awaits ${proof}`) : `proven by ${provenBy}`;
  return `${publicId}  ${status}  since ${isoTime(createdAt)}  ${record ?? "-"}: ${proofWords}`;
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
