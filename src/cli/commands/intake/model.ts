import type { Command } from "@commander-js/extra-typings";
import { SourceType } from "../../../contract/enums.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import type { LedgerWriter } from "../../../ledger/writer.ts";
import { type CommandContext, openWriter, printList } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

export function define(model: Command, context: CommandContext): void {
  model
    .command("allow <source-type> <version>")
    .description("publish this version of a recognition model with observations taken in from now on")
    .action((source, version) =>
      change(context, (intake) => intake.allowRecognitionModel(sourceType(source), plainVersion(version))),
    );
  model
    .command("forbid <source-type> <version>")
    .description("publish this version no longer; rows that have it keep it")
    .action((source, version) =>
      change(context, (intake) => intake.forbidRecognitionModel(sourceType(source), version)),
    );
  model
    .command("list")
    .description("list the versions of recognition models that may be published")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      using ledger = openWriter(context);
      const models = ledger.intake.recognitionModels();
      printList(context, json, models, ({ sourceType: source, version }) => `${source} ${version}`);
    });
}

function change(context: CommandContext, work: (intake: LedgerWriter["intake"]) => void): void {
  using ledger = openWriter(context);
  ledger.transaction(() => work(ledger.intake));
}

function sourceType(text: string): SourceType {
  const parsed = SourceType.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new OperatorError(`source type must be one of ${SourceType.options.join(", ")} (got ${text})`);
}

const VERSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** A version names a program, so it has no spaces, signs or long texts. */
function plainVersion(text: string): string {
  if (VERSION.test(text)) return text;
  throw new OperatorError(
    `version must have at most 40 letters, digits, dots, hyphens and underscores (got ${text})`,
  );
}
