import type { Command } from "commander";
import type { CommandContext } from "../../../operations/context.ts";
import { type IdentityTexts, readIdentity, takeIdentity } from "../../../review/identity.ts";
import { decider } from "../../../review/reasons.ts";
import { addDeciderOptions, atDesk, type DeciderOptions, expectedRow, printOutcome } from "./review-parts.ts";

interface SetOptions extends DeciderOptions {
  readonly scope: string;
  readonly brand?: string;
  readonly organization: readonly string[];
  readonly sameAs: readonly string[];
}

export function defineIdentity(identity: Command, context: CommandContext): void {
  const set = identity
    .command("set <record>")
    .description("publish what was reviewed, in place of what was said before")
    .requiredOption("--scope <code>", "for example local_independent")
    .option("--brand <parts>", "id|name|domain")
    .option("--organization <parts>", "relationship|id|name|type|domain; may be repeated", collect, [])
    .option("--same-as <url>", "a link to the same business elsewhere; may be repeated", collect, []);
  addDeciderOptions(set).action((subject: string) => {
    const { scope, brand, organization, sameAs, ...options } = set.opts<SetOptions>();
    change(context, subject, { scope, brand, organizations: organization, sameAs }, options);
  });

  const clear = identity
    .command("clear <record>")
    .description("take back what was said: the record is unreviewed then");
  addDeciderOptions(clear).action((subject: string) =>
    change(context, subject, undefined, clear.opts<DeciderOptions>()),
  );
}

function change(
  context: CommandContext,
  subject: string,
  texts: IdentityTexts | undefined,
  { as, reason, expect, clock, json }: DeciderOptions,
): void {
  const asked = {
    subject,
    identity: texts === undefined ? null : readIdentity(texts),
    decider: decider(as, reason),
    expect: expectedRow(expect),
  };
  const outcome = atDesk(context, clock, (desk, ledger) =>
    ledger.transaction(() => takeIdentity(desk, asked)),
  );
  const action = texts === undefined ? "clear identity" : "set identity";
  printOutcome(context, json, { action, subject }, outcome);
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
