import type { Command } from "@commander-js/extra-typings";
import type { CommandContext } from "../../../operations/context.ts";
import { type IdentityTexts, readIdentity, takeIdentity } from "../../../review/identity.ts";
import { decider } from "../../../review/reasons.ts";
import { atDesk, type DeciderOptions, printOutcome, withDecider } from "../../desk.ts";

export function define(identity: Command, context: CommandContext): void {
  const set = identity
    .command("set <record>")
    .description("publish a reviewed identity in place of the previous one")
    .requiredOption("--scope <code>", "for example local_independent")
    .option("--brand <parts>", "id|name|domain")
    .option("--organization <parts>", "relationship|id|name|type|domain; repeatable", collect, [])
    .option("--same-as <url>", "a link to the same business elsewhere; repeatable", collect, []);
  withDecider(set).action((subject, { scope, brand, organization, sameAs, ...options }) =>
    change(context, subject, { scope, brand, organizations: organization, sameAs }, options),
  );

  const clear = identity
    .command("clear <record>")
    .description("withdraw the identity: the record is unreviewed again");
  withDecider(clear).action((subject, options) => change(context, subject, undefined, options));
}

async function change(
  context: CommandContext,
  subject: string,
  texts: IdentityTexts | undefined,
  { as, reason, expect, clock, json }: DeciderOptions,
): Promise<void> {
  const request = {
    subject,
    identity: texts === undefined ? null : readIdentity(texts),
    decider: decider(as, reason),
    expect,
  };
  const outcome = await atDesk(context, clock, (desk, ledger) =>
    ledger.transaction(() => takeIdentity(desk, request)),
  );
  const action = texts === undefined ? "clear identity" : "set identity";
  printOutcome(context, json, { action, subject }, outcome);
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
