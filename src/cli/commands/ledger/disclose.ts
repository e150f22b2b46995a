import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { type LedgerReader, openLedgerReader } from "../../../ledger/reader.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { wholeNumber } from "../../whole-number.ts";

interface DiscloseOptions {
  readonly field?: string;
  readonly list?: boolean;
  readonly size?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const WARNING = `
The value is private. Whoever gets the document can read it, pass it on, and prove to anyone that it stands in
the ledger. That cannot be taken back: no redaction reaches a document that was handed over. It opens this one
field of this one row; the other values of the row stay hidden, each behind a salt of its own. Nothing records
that the document was made. It is checked with \`presence check-disclosure\`, which needs nothing private.`;

export function defineDisclose(command: Command, context: CommandContext): void {
  command
    .argument("<row>", "ledger row, from 1")
    .option("--field <name>", "the value to disclose; --list names what the row has")
    .option("--list", "print the names of the row's fields, without their values")
    .option("--size <rows>", "prove it in an earlier signed tree of this size (default: the newest)")
    .option("--out <file>", "write to a new file that only its owner may read (default: print)")
    .option("--json", "with --list or --out: print the result as JSON; a disclosure is JSON always")
    .addHelpText("after", WARNING)
    .action(async (row: string, options: DiscloseOptions) => {
      using reader = openLedgerReader(homeOf(context).ledger);
      const number = wholeNumber(row, "<row>");
      if (options.list === true) listFields(context, reader, number, options.json);
      else await disclose(context, reader, number, options);
    });
}

function listFields(
  context: CommandContext,
  reader: LedgerReader,
  number: number,
  json: boolean | undefined,
): void {
  const { row, kind, disclosures } = reader.rowFields(number);
  const fields = [...disclosures.keys()];
  printResult(context, json, { row, kind, fields: json === true ? fields : fields.join(", ") });
}

async function disclose(
  context: CommandContext,
  reader: LedgerReader,
  row: number,
  { field, size, out, json }: DiscloseOptions,
): Promise<void> {
  if (field === undefined)
    throw new OperatorError(`disclose ${row}: give the --field to disclose; --list names what the row has`);
  const treeSize = size === undefined ? undefined : wholeNumber(size, "--size");
  const document = await reader.disclose({ row, field, size: treeSize });
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (out === undefined) {
    context.stdout.write(text);
    return;
  }
  writeNewFile(out, text);
  printResult(context, json, { row, field, file: out });
}

/** Never over another file: that one might be open to others. */
function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST"))
      throw new OperatorError(`--out ${path}: there is such a file already: give another name`, { cause });
    if (hasErrorCode(cause, "ENOENT") || hasErrorCode(cause, "EACCES"))
      throw new OperatorError(`--out ${path}: cannot be written: does the folder exist?`, { cause });
    throw cause;
  }
}
