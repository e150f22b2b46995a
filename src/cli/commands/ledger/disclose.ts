import { writeFileSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { jsonText, writeText } from "../../../kernel/text/terminal.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { whole } from "../../command.ts";

const WARNING = `
The value is private. Anyone who has the document can read it, pass it on, and prove that it is in the ledger. This
cannot be undone: redaction does not reach a document that was handed over. The document discloses one field of one
row; the other values of the row stay hidden, each with its own salt. The program keeps no record of the document.
\`presence check-disclosure\` verifies it and needs nothing private.`;

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<row>", "ledger row, from 1", whole("<row>"))
    .option("--field <name>", "the field to disclose; --list prints the names of the row's fields")
    .option("--list", "print the names of the row's fields, without their values")
    .option(
      "--size <rows>",
      "prove it in an earlier signed tree of this size (default: the newest)",
      whole("--size"),
    )
    .option("--out <file>", "write to a new file that only its owner can read (default: print)")
    .option("--json", "with --list or --out: print the result as JSON; a disclosure is always JSON")
    .addHelpText("after", WARNING)
    .action(async (number, { field, list, size, out, json }) => {
      using reader = openLedgerReader(homeOf(context).ledger);
      if (list) {
        const { row, kind, disclosures } = reader.rowFields(number);
        const fields = [...disclosures.keys()];
        printResult(context, json, { row, kind, fields: json ? fields : fields.join(", ") });
        return;
      }
      if (field === undefined)
        throw new OperatorError(
          `disclose ${number}: --field is missing; --list prints the names of the row's fields`,
        );
      const text = `${jsonText(await reader.disclose({ row: number, field, size }), 2)}\n`;
      if (out === undefined) writeText(context.stdout, text);
      else {
        writeNewFile(out, text);
        printResult(context, json, { row: number, field, file: out });
      }
    });
}

/** Refuses to replace a file, which others might be able to read. */
function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST"))
      throw new OperatorError(`--out ${path}: the file exists already: give another name`, { cause });
    if (hasErrorCode(cause, "ENOENT") || hasErrorCode(cause, "EACCES"))
      throw new OperatorError(`--out ${path}: the file cannot be written: does the folder exist?`, { cause });
    throw cause;
  }
}
