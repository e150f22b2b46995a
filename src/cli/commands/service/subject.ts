import type { Command } from "@commander-js/extra-typings";
import { EmailAddress } from "../../../contract/accounts/alerts.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printJson, printLines, printResult } from "../../../operations/context.ts";
import { exportSubject, findSubject, personalData } from "../../../operations/erasure/subject.ts";
import { JSON_OPTION } from "../../command.ts";
import { runTakeOut } from "../../erasure.ts";

export function define(subject: Command, context: CommandContext): void {
  subject
    .command("find")
    .argument("<email>", "email address; every spelling of the same mailbox is found", emailAddress)
    .description("count what is stored of a person")
    .option(...JSON_OPTION)
    .action(async (email, { json }) => {
      printResult(context, json, await findSubject(context, email));
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
    .action((email, options) => runTakeOut(context, personalData(email), options));
}

function emailAddress(text: string): string {
  const { data } = EmailAddress.safeParse(text);
  if (data !== undefined) return data;
  throw new OperatorError("<email> must be one email address, such as name@example.org");
}
