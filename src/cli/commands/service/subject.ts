import type { Command } from "@commander-js/extra-typings";
import { EmailAddress } from "../../../contract/accounts/alerts.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printJson, printLines, printResult } from "../../../operations/context.ts";
import {
  eraseSubject,
  exportSubject,
  findSubject,
  type SubjectFinding,
} from "../../../operations/subjects/subject-request.ts";
import { JSON_OPTION } from "../../command.ts";

interface EraseOptions {
  readonly confirm?: string | undefined;
  readonly json?: boolean | undefined;
}

export function define(subject: Command, context: CommandContext): void {
  subject
    .command("find")
    .argument("<email>", "email address; every spelling of the same mailbox is found", emailAddress)
    .description("count what is stored of a person")
    .option(...JSON_OPTION)
    .action(async (email, { json }) => {
      const { confirm: _, ...found } = await findSubject(context, email);
      printResult(context, json, found);
    });
  subject
    .command("export")
    .argument("<email>", "email address of the person", emailAddress)
    .description("print a copy of what is stored of a person; it is private")
    .option("--json", "print the copy on one line")
    .action(async (email, { json }) => {
      const copy = await exportSubject(context, email);
      if (json) printJson(context, copy);
      else printLines(context, [JSON.stringify(copy, undefined, 2)]);
    });
  subject
    .command("erase")
    .argument("<email>", "email address of the person", emailAddress)
    .description("erase what is stored of a person")
    .option("--confirm <code>", "erase for good; without it, only preview the erasure and print the code")
    .option(...JSON_OPTION)
    .action((email, options) => erase(context, email, options));
}

async function erase(context: CommandContext, email: string, { confirm, json }: EraseOptions): Promise<void> {
  if (confirm === undefined) {
    printPreview(context, await findSubject(context, email), json);
    return;
  }
  const done = await eraseSubject(context, email, confirm);
  const notes = [...(done.write_ahead_log_cut ? [] : [NOT_CUT]), ...AFTERWARDS];
  printResult(context, json, { ...done, ...(json && { notes }) });
  if (!json) printLines(context, ["", ...notes.map((note) => `- ${note}`)]);
}

function printPreview(
  context: CommandContext,
  { confirm, ...found }: SubjectFinding,
  json: boolean | undefined,
): void {
  const notes = confirm === null ? [NOTHING_FOUND] : BEFORE;
  printResult(context, json, { ...found, ...(json && { confirm, notes }) });
  if (json) return;
  printLines(context, ["", ...notes.map((note) => `- ${note}`)]);
  if (confirm !== null)
    printLines(context, ["", `To erase this: presence subject erase ${found.mailbox} --confirm ${confirm}`]);
}

const NOTHING_FOUND = "Nothing is stored of this address.";
const BEFORE = [
  "Subscriptions, requests, their endpoints and deliveries are deleted. Reports lose their text and notes, and keep kind, times and outcome. Partner clients lose their contact.",
  "A refusal of email (`presence suppress`) stays: it is a keyed hash.",
];
const NOT_CUT =
  "Another process reads the database all the time, so its write-ahead log could not be emptied: run the same command again.";
const AFTERWARDS = [
  "Backups made before still contain it: delete those of the state, or let them expire. With PostgreSQL, so do its replicas and archived write-ahead log.",
  "In the ledger, nothing is known by an email address. Names in reports that led to rows are erased with `presence redact` and `presence opt-out`.",
];

function emailAddress(text: string): string {
  const { data } = EmailAddress.safeParse(text);
  if (data !== undefined) return data;
  throw new OperatorError("<email> must be one email address, such as name@example.org");
}
